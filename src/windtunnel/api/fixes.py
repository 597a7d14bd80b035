"""Doors to fixing: an error's words to diffs, a loop over a project, and a debugger that retries its patches."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Problem
from windtunnel.core.repair import FixResult, FixState
from windtunnel.engine.fix.base import Files, Texts
from windtunnel.engine.fix.diffs import RankedDiff, problems_of_text, suggest
from windtunnel.engine.fix.score import Measures, Scores
from windtunnel.tunnel import Tunnel

Project = str | os.PathLike[str]
_RETRIES = "SANDBOX_PATCH_RETRIES"


class ErrorToDiffEngine:
    """What an error says becomes diffs that may mend it, likeliest first; nothing is run."""

    def __init__(
        self, project: Project | None = None, *, files: Mapping[str, str] | None = None, allow: Sequence[str] = (),
        forbid: Sequence[str] = (),
    ) -> None:
        """For a project on disk, or for texts by path."""
        if (project is None) == (files is None):
            raise UsageError("project: either a project or files, not both and not none", field="project")
        self._project = None if project is None else Path(project)
        self._files, self._allow, self._forbid = files, allow, forbid

    def problems(self, error: str) -> tuple[Problem, ...]:
        """What the words say, root causes first."""
        from windtunnel.checks.project import Folder  # noqa: PLC0415 -- for a project alone

        place: Files = Texts(self._files) if self._files is not None else Folder(self._project or ".")
        return problems_of_text(error, place, root="" if self._project is None else str(self._project.resolve()))

    def diffs(self, error: str, *, most: int = 5) -> tuple[RankedDiff, ...]:
        """The likeliest edits; each parses, and none touches a test."""
        return suggest(error, project=self._project, files=self._files, most=most, allow=self._allow,
                       forbid=self._forbid)


class FixLoop:
    """Looks for a fix of one project until it is green or a limit is reached."""

    def __init__(self, project: Project, *, tunnel: Tunnel | None = None, **options: Any) -> None:  # noqa: ANN401 -- Fix's own
        """The options are the fields of ``Fix``; a tunnel of its own is made where none is given."""
        self._project, self._tunnel, self._options = project, tunnel, options

    def run(self, **options: Any) -> FixResult:  # noqa: ANN401 -- Fix's own
        """Once; what was judged before for the same project is not judged again."""
        if self._tunnel is not None:
            return self._tunnel.fix(self._project, **{**self._options, **options})
        with Tunnel(pool_size=0) as tunnel:
            return tunnel.fix(self._project, **{**self._options, **options})


class SelfDebuggerSandbox:
    """Retries patches until the tests pass: each try goes on where the one before stopped, with more attempts.

    ``scores`` has one number for each try, against the mean and deviation of those before it; see ``Scores``.
    """

    def __init__(
        self, project: Project, *, retries: int | None = None, attempts: int = 200, tunnel: Tunnel | None = None,
        **options: Any,  # noqa: ANN401 -- Fix's own
    ) -> None:
        """``retries`` is ``SANDBOX_PATCH_RETRIES`` where it is not given, and 3 without that."""
        self.retries = _retries() if retries is None else retries
        if self.retries < 1:
            raise UsageError(f"retries: not a number from 1 up: {retries!r}", field="retries")
        self._loop, self._attempts = FixLoop(project, tunnel=tunnel, **options), attempts
        self._history = Scores()
        self.scores: list[float] = []

    def analyse_and_fix(self) -> FixResult:
        """The first try that mends everything, or the last one."""
        result = self._loop.run(attempts=self._attempts)
        self.scores.append(self._history.add(_measures(result)))
        for number in range(2, self.retries + 1):
            if result.success or result.tried < self._attempts * (number - 1):
                break  # mended, or nothing more is proposed
            result = self._loop.run(attempts=self._attempts * number)
            self.scores.append(self._history.add(_measures(result)))
        return replace(result, notes=(*result.notes, f"{len(self.scores)} of {self.retries} tries"))

    def composite_score(self, measures: Measures) -> float:
        """What a patch with these measures would be worth against the tries so far."""
        return self._history.score(measures)


def _retries() -> int:
    text = os.environ.get(_RETRIES, "3")
    if not text.isdecimal() or not 0 < int(text) <= 1000:  # noqa: PLR2004 -- nobody waits longer
        raise UsageError(f"{_RETRIES}: not a number from 1 to 1000: {text!r:.40}", field=_RETRIES)
    return int(text)


def _measures(result: FixResult) -> Measures:
    """Of one try, by its trial; nothing gained where there is none."""
    size = sum(line[:1] in "+-" and line[:3] not in ("+++", "---") for line in result.diff.splitlines()) / 100
    if result.trial is None:
        return Measures(complexity=size)
    delta = result.trial.delta
    failed = len(delta.fixed) + len(delta.still_failing) or 1
    return Measures(coverage=len(delta.new) / max(1, delta.still_passing + failed), errors=len(delta.fixed) / failed,
                    gain=1.0 if result.state is FixState.FIXED else len(delta.fixed) / failed / 2, complexity=size)
