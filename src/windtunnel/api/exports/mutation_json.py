"""A mutation run as plain JSON: every field and every derived one, with the contents of files told by hash."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from windtunnel import __version__
from windtunnel.api.exports.mutation_sheets import by_path, diff_text, sheets_of
from windtunnel.api.exports.mutation_words import state_words
from windtunnel.core.mutation import Fate, Judged, MutationResult, State
from windtunnel.core.plain import plain

FORMAT, VERSION = "windtunnel-mutation", 1
"""The version is raised when a field is taken away or means something else, not when one is added."""


def mutation_json(result: MutationResult, sources: Mapping[str, bytes]) -> str:
    """For machines; the same run gives the same text."""
    sheets = sheets_of(result, sources)
    told: dict[str, Any] = {"format": FORMAT, "version": VERSION, "windtunnel": __version__}
    told |= {field.name: getattr(result, field.name) for field in fields(result) if field.name != "judged"}
    told |= {"state_words": state_words(result.state), "score": result.score, "counts": _counts(result.judged)}
    told["files"] = {path: {**_content(sources.get(path)), **_told(found, result.state)}
                     for path, found in by_path(result.judged).items()}
    suggested = result.suggestions.tests if result.suggestions is not None else ()
    tests = {mutant: test.name for test in suggested for mutant in test.kills}
    told["judged"] = [{**_fields(one), "diff": diff_text(one.mutant, sheets[one.mutant.path]),
                       **({"suggestion": tests[one.mutant.id]} if one.mutant.id in tests else {})}
                      for one in result.judged]
    return json.dumps(told, default=plain, indent=2) + "\n"


def _fields(value: Judged) -> dict[str, object]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _counts(judged: Sequence[Judged]) -> dict[str, int]:
    found = Counter(one.fate for one in judged)
    return {fate: found[fate] for fate in Fate}


def _told(judged: Sequence[Judged], state: State) -> dict[str, object]:
    return {"score": MutationResult(state=state, judged=tuple(judged)).score, "counts": _counts(judged)}


def _content(content: bytes | None) -> dict[str, object]:
    if content is None:
        return {"size": None, "sha256": None}
    return {"size": len(content), "sha256": hashlib.sha256(content).hexdigest()}
