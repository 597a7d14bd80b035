"""The sandbox in which tests for survivors are looked for, and the one in which they are tried."""

from __future__ import annotations

import json
import secrets
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from windtunnel.checks.discover import discover
from windtunnel.checks.live import invocation
from windtunnel.checks.project import Folder
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB, Limits
from windtunnel.core.mutation import Mutant
from windtunnel.core.ports import Rig
from windtunnel.core.result import Artifact
from windtunnel.core.testfile import is_test
from windtunnel.core.tool import Ask
from windtunnel.core.trial import Check, Kind
from windtunnel.engine.checking import Step, run_invocation
from windtunnel.engine.ground import Ground, make_ground
from windtunnel.engine.premises import check_project, trial_limits
from windtunnel.languages.search import which
from windtunnel.mutation.suggest_targets import Target
from windtunnel.mutation.suggest_targets import scripts as own_scripts
from windtunnel.mutation.suggest_words import STANDARD
from windtunnel.mutation.table import rows, scripts

if TYPE_CHECKING:
    from windtunnel.engine.mutation import Mutation

_RUNNER = "windtunnel_suggest.py"
_MOST_MEMORY, _MOST_PIECES = GIB // 2, 4000
_BEGINNING_SECONDS = 60.0
"""For the sandbox and the collection of tests, besides what is given to the search."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One project made ready."""

    ground: Ground
    check: Check
    limits: Limits
    mutation: Mutation
    sources: Mapping[str, bytes]
    """The files that have mutants."""

    def read(self, path: str) -> bytes | None:
        """A file of the project, as the change has it if there is one."""
        if path in self.mutation.overlay:
            laid = self.mutation.overlay[path]
            return laid.data if laid is not None else None
        return self.ground.folder.read(path)

    def has(self, path: str) -> bool:
        """Whether there is such a file."""
        return self.read(path) is not None

    @property
    def roots(self) -> frozenset[str]:
        """Words that names of the product's modules begin with, from whichever of its folders they are imported."""
        paths = self.ground.folder.glob("**/*.py")
        parts = {part.removesuffix(".py") for path in paths for part in PurePosixPath(path).parts}
        return frozenset(part for part in parts if part not in sys.stdlib_module_names or part in STANDARD)

    @property
    def test_folder(self) -> str:
        """Where a new test file goes."""
        found = [str(PurePosixPath(path).parent) for path in self.ground.folder.glob("**/test_*.py") if is_test(path)]
        return min(found, key=lambda folder: (len(PurePosixPath(folder).parts), folder), default="")


def made_stage(rig: Rig, mutation: Mutation, paths: Iterable[str]) -> Stage:
    """Look at the project once."""
    project = check_project(mutation.project, private=rig.private)
    folder = Folder(project, search=which)
    checks = discover(folder, build="", lint="", test=mutation.test)
    check = next((check for check in checks.of(Kind.TEST) if check.tool == "pytest"), None)
    if check is None:
        raise UsageError("test: tests are suggested for what pytest judges", field="test")
    limits = trial_limits(mutation.limits, caps=replace(rig.caps, wall_seconds=rig.trial_seconds))
    stage = Stage(ground=make_ground(rig, project, checks), check=check, limits=limits, mutation=mutation, sources={})
    found = {path: data for path in paths if (data := stage.read(path)) is not None}
    return replace(stage, sources=found)


def find(rig: Rig, stage: Stage, targets: Sequence[Target], mutants: Sequence[Mutant]) -> dict[str, Any]:
    """What the search tells; hostile."""
    ends = list(accumulate(len(target.mutants) for target in targets))
    asked = [{"path": target.path, "function": target.owner.function, "first": target.owner.first, "file": target.file,
              "tests": list(target.tests), "mutants": list(range(end - len(target.mutants), end))}
             for target, end in zip(targets, ends, strict=True)]
    return _run(rig, stage, {"mode": "find", "targets": asked}, mutants) if asked else {}


def prove(
    rig: Rig, stage: Stage, trials: Sequence[Mapping[str, object]], mutants: Sequence[Mutant], *,
    laid: Mapping[str, bytes],
) -> dict[str, Any]:
    """How the trials of tests in these files ended; the mutants are followed by one that changes nothing."""
    return _run(rig, stage, {"mode": "prove", "targets": [], "trials": list(trials)}, mutants, laid=laid)


def _run(
    rig: Rig, stage: Stage, options: Mapping[str, object], mutants: Sequence[Mutant], *,
    laid: Mapping[str, bytes] | None = None,
) -> dict[str, Any]:
    mutation, seconds = stage.mutation, stage.mutation.suggest
    limits = replace(stage.limits, wall_seconds=min(stage.limits.wall_seconds, 2 * seconds + _BEGINNING_SECONDS))
    workers = mutation.jobs or max(1, int(limits.cores))
    key = secrets.token_hex(16)
    usual = invocation(stage.check, Ask(key=key), scripts=(_RUNNER,), own={**scripts(), **own_scripts()})
    table = [*rows(mutants, stage.sources)[:len(mutants)], *map(_nothing, stage.sources)]
    more = {"mutants": table, "workers": workers, "seconds": seconds,
            "memory": min(_MOST_MEMORY, limits.memory_bytes // (2 * workers + 2)), **options}
    given = json.loads(usual.files["windtunnel_options.json"]) | more
    ready = replace(usual, files={**usual.files, "windtunnel_options.json": json.dumps(given).encode()})
    overlay = {**mutation.overlay, **{path: Artifact(data=data) for path, data in (laid or {}).items()}}
    step = Step(check=stage.check, overlay=overlay, limits=limits, env=mutation.env)
    output, result = run_invocation(rig, stage.ground, step, ready, key=key)
    told = _joined(output.records)
    tail = output.stderr[-300:].decode("utf-8", "replace").strip()
    end = f"{result.reason}, exit code {output.exit_code}: {tail}"
    return told or {"broken": f"the search did not come to its end ({end})"}


def _nothing(path: str) -> dict[str, object]:
    return {"id": "", "path": path, "start": 0, "end": 0, "first": 1, "last": 1, "replacement": "", "function": ""}


def _joined(records: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """What was told in pieces; nothing where one is missing."""
    pieces = {record["number"]: record for record in records if record.get("kind") == "piece"
              and isinstance(record.get("number"), int) and isinstance(record.get("text"), str)}
    count = next((record.get("of") for record in pieces.values()), 0)
    if not isinstance(count, int) or not 0 < count <= _MOST_PIECES or set(pieces) != set(range(count)):
        return {}
    try:
        told = json.loads("".join(pieces[number]["text"] for number in range(count)))
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
