"""Would other patches that pass the same tests answer otherwise? Asked of a change that the tests do notice.

A change that passes its tests is one of many that do. Small edits of the code before it and of the change itself are
judged by the tests, and so are patches that are given; those that pass, the change and the code before it get inputs
made of the calls of the tests, and what they answer is compared. What holds: all of it runs in the sandbox, nothing of
the project is touched, and what could not be compared says so. What does not hold: a wrong change that no sign shows is
not found, and whether a witness is a mistake is for a person to say.
"""

from __future__ import annotations

import ast
import json
import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from windtunnel.checks.discover import discover
from windtunnel.checks.live import invocation
from windtunnel.checks.project import Folder
from windtunnel.core.gate import Doubt
from windtunnel.core.limits import GIB, Limits
from windtunnel.core.ports import Rig
from windtunnel.core.result import Artifact
from windtunnel.core.tool import Ask
from windtunnel.core.trial import Kind
from windtunnel.engine.checking import Step, run_invocation
from windtunnel.engine.disagreement_rule import weighed
from windtunnel.engine.disagreement_words import Heard, heard
from windtunnel.engine.ground import make_ground
from windtunnel.languages.search import which
from windtunnel.mutation.alternatives import Target, alternatives, changed_functions, changed_names
from windtunnel.mutation.alternatives.functions import text
from windtunnel.mutation.alternatives.made import constants, new_literals
from windtunnel.mutation.alternatives.scripts import scripts
from windtunnel.mutation.encoding import quiet

_RUNNER = "windtunnel_doubt.py"
_WORD = re.compile(r"[A-Za-z_][\w.-]*")
_MOST_FUNCTIONS = 4
_MOST_FILES = 4
_BUDGET_SECONDS = 8.0
"""Of the processor, for the tests that judge alternatives."""
_WALL_SECONDS = 120.0
_MOST_MEMORY = GIB // 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Rivalry:
    """A change to compare with others."""

    project: str
    files: Mapping[str, tuple[bytes, bytes]]
    """The changed files of the product, before and after."""
    overlay: Mapping[str, Artifact | None]
    test: str | Sequence[str] | None
    limits: Limits
    env: Mapping[str, str]
    aside: Sequence[str] = ()
    """Tests that judge nothing."""
    jobs: int | None = None
    given: Sequence[Mapping[str, bytes]] = ()
    """Other patches for the same fault: the files of the product that they change, as they have them."""


def disagreement(rig: Rig, asked: Rivalry) -> Doubt:
    """How the change stands among others that pass."""
    targets = targets_of(asked.files)
    why = _refused(asked, targets)
    if why:
        return Doubt(state="not judged", reason=why)
    told = _heard(rig, asked, targets)
    return weighed(replace(told, new=tuple(map(repr, new_literals(targets)))))


def _refused(asked: Rivalry, targets: Sequence[Target]) -> str:
    known = [each for each in targets if each.before is not None]
    if not known:
        return "no function was changed that was there before"
    if len(targets) > _MOST_FUNCTIONS or len(asked.files) > _MOST_FILES:
        return f"the change touches more than {_MOST_FUNCTIONS} functions"
    return ""


def targets_of(files: Mapping[str, tuple[bytes, bytes]]) -> list[Target]:
    """Functions to compare: those that changed, and those that use a name of their module that changed."""
    targets: list[Target] = []
    for path, (old, new) in files.items():
        with quiet():
            before, after = ast.parse(old), ast.parse(new)
        targets += changed_functions(path, before, after)
        targets += changed_names(path, before, after)[:_MOST_FUNCTIONS]
    return targets


def _heard(rig: Rig, asked: Rivalry, targets: Sequence[Target]) -> Heard:
    folder = Folder(asked.project, search=which)
    checks = discover(folder, build="", lint="", test=asked.test)
    check = next(check for check in checks.of(Kind.TEST) if check.tool == "pytest")
    limits = replace(asked.limits, wall_seconds=min(asked.limits.wall_seconds, _WALL_SECONDS))
    key = secrets.token_hex(16)
    ready = invocation(check, Ask(key=key), scripts=(_RUNNER,), own=scripts())
    workers = asked.jobs or max(1, int(limits.cores))
    options = json.loads(ready.files["windtunnel_options.json"]) | options_of(asked, targets) | {
        "workers": workers, "seconds": 0.9 * limits.wall_seconds, "budget": _BUDGET_SECONDS, "aside": list(asked.aside),
        "memory": min(_MOST_MEMORY, limits.memory_bytes // (workers + 2))}
    ready = replace(ready, files={**ready.files, "windtunnel_options.json": json.dumps(options).encode()})
    step = Step(check=check, overlay=asked.overlay, limits=limits, env=asked.env)
    output, _ = run_invocation(rig, make_ground(rig, asked.project, checks), step, ready, key=key)
    return heard(output.records)


def options_of(asked: Rivalry, targets: Sequence[Target]) -> dict[str, Any]:
    """What the scripts in the sandbox have to know."""
    made = [each for number, target in enumerate(targets) if target.before is not None and target.changed
            for each in alternatives(target, number)]
    return {
        "targets": [{
            "path": target.path, "name": target.name, "line": target.line, "classes": list(target.classes),
            "before": text(target.before) if target.before is not None else "", "after": text(target.after),
            "changed": target.changed and target.before is not None, "shown": target.qualified} for target in targets],
        "literals": [value for value in new_literals(targets) if not _is_word(value)],
        "before": {path: _text(old) for path, (old, _) in asked.files.items()}, "constants": constants([
            each for target in targets for each in (target.before, target.after)]),
        "alternatives": [*(_given(asked, files) for files in asked.given), *(
            {"target": each.target, "base": each.base, "kind": each.kind, "text": each.text, "size": each.size,
             "files": {}} for each in made)]}


def _is_word(value: object) -> bool:
    """A keyword, a command, a header, the name of a variable: a domain's own, which its tests use as well."""
    return isinstance(value, str) and _WORD.fullmatch(value) is not None


def _given(asked: Rivalry, files: Mapping[str, bytes]) -> dict[str, Any]:
    """A whole patch: what it does not touch is as before the change."""
    whole = {path: _text(files.get(path, old)) for path, (old, _) in asked.files.items()}
    return {"target": 0, "base": "given", "kind": "given", "text": "", "size": 0, "files": whole}


def _text(source: bytes) -> str:
    """With its encoding, as the compiler reads it."""
    return ast.unparse(ast.parse(source))
