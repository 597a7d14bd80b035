"""The JSON that the viewers of Stryker read: mutation-testing-report-schema, version 2.

The viewers count a timeout as noticed and the score of a run that proves nothing as one of its mutants; the second is
kept from happening by telling such mutants as pending. The state, the notes and our own score are under ``config``.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from windtunnel import __version__
from windtunnel.api.exports.mutation_sheets import Sheet, by_path, sheets_of
from windtunnel.api.exports.mutation_words import MEANINGS, state_words
from windtunnel.core.mutation import Fate, Judged, MutationResult, State

_STATUS: Mapping[Fate, str] = {
    Fate.KILLED: "Killed", Fate.SURVIVED: "Survived", Fate.UNTESTED: "NoCoverage", Fate.TIMEOUT: "Timeout",
    Fate.SAME: "Ignored", Fate.FAILED: "RuntimeError", Fate.NOT_JUDGED: "Pending"}
_LANGUAGES = {"py": "python", "pyi": "python", "js": "javascript", "mjs": "javascript", "cjs": "javascript",
              "jsx": "javascript", "ts": "typescript", "tsx": "typescript", "go": "go", "java": "java", "rs": "rust"}
_THRESHOLDS = {"high": 80, "low": 60}
"""Where the viewers change colour; their own defaults."""


def mutation_elements(result: MutationResult, sources: Mapping[str, bytes]) -> str:
    """One line; large reports are read by programs alone."""
    sheets = sheets_of(result, sources)
    files = {path: {"language": _LANGUAGES.get(path.rpartition(".")[2], "plain"),
                    "source": _source(sheets[path], found),
                    "mutants": [_mutant(one, sheets[path], result.state) for one in found]}
             for path, found in by_path(result.judged).items()}
    told = {
        "schemaVersion": "2", "thresholds": _THRESHOLDS, "files": files, "testFiles": _test_files(result.judged),
        "framework": {"name": "Windtunnel", "version": __version__},
        "performance": {"setup": 0, "initialRun": 0, "mutation": round(1000 * result.execution_time)},
        "config": {"state": result.state, "score": result.score, "notes": result.notes, "failing": result.failing,
                   "flaky": result.flaky, "dependent": result.dependent}}
    return json.dumps(told) + "\n"


def _source(sheet: Sheet, found: Sequence[Judged]) -> str:
    """The lines as we count them; as many empty ones where the file was not given, so that every place exists."""
    short = max(one.mutant.end_line for one in found) - len(sheet.lines)
    return "\n".join([*sheet.lines, *[""] * max(short, 0)])


def _mutant(one: Judged, sheet: Sheet, state: State) -> dict[str, Any]:
    mutant, proven = one.mutant, state is State.JUDGED
    told: dict[str, Any] = {
        "id": mutant.id, "mutatorName": mutant.operator, "replacement": mutant.replacement,
        "description": mutant.description, "status": _STATUS[one.fate] if proven else "Pending",
        "statusReason": MEANINGS[one.fate] if proven else state_words(state), "static": mutant.scope == "module",
        "location": {"start": _position(sheet, mutant.line, mutant.column),
                     "end": _position(sheet, mutant.end_line, mutant.end_column)},
        "duration": round(1000 * one.seconds, 3), "coveredBy": _names([one])}
    return told | ({"killedBy": [one.by]} if one.by and proven else {})


def _position(sheet: Sheet, line: int, column: int) -> dict[str, int]:
    """From 1; columns in units of UTF-16, as JavaScript counts."""
    at = sheet.place(line, column)
    if 1 <= line <= len(sheet.lines) and not sheet.lines[line - 1].isascii():
        at = len(sheet.lines[line - 1][:at].encode("utf-16-le", "surrogatepass")) // 2
    return {"line": max(line, 1), "column": at + 1}


def _names(judged: Iterable[Judged]) -> list[str]:
    """The tests that are known by name."""
    return list(dict.fromkeys(name for one in judged for name in (one.by, *one.tests) if name))


def _test_files(judged: Iterable[Judged]) -> dict[str, Any]:
    files: dict[str, Any] = {}
    for name in _names(judged):
        path, _, rest = name.partition("::")
        files.setdefault(path, {"tests": []})["tests"].append({"id": name, "name": rest or name})
    return files
