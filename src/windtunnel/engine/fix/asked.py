"""What is asked of a fix."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import Thresholds
from windtunnel.core.limits import Limits
from windtunnel.core.repair import Source
from windtunnel.core.trial import Kind
from windtunnel.engine.course import Event
from windtunnel.engine.fix.places import Places
from windtunnel.engine.trial import Trial
from windtunnel.languages.search import which

_MOST_SECONDS = 24 * 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """A failing project, and how a fix for it is looked for; the commands are those of a trial."""

    project: str | os.PathLike[str]
    test: str | None = None
    """Own command; None finds one, an empty one means none."""
    build: str | None = None
    lint: str | None = None
    """A linter's findings are to be fixed too only where its command is named here."""
    budget: float = 120.0
    """Wall seconds for looking; the proof of what was found comes after them."""
    attempts: int | None = None
    """The most proposals that are judged by tests; None for as many as there is time for."""
    allow: Sequence[str] = ()
    """What may be touched: globs of files, and places (``a.py:12``, ``a.py:12-20``, ``a.py::Cart.total``).

    None for all of the project's own code. Tests never are.
    """
    forbid: Sequence[str] = ()
    """The same for what may not."""
    apply: bool = False
    """Whether a fix that is sure is written into the project."""
    gate: bool | Thresholds = False
    """Whether the mutation gate is asked too before a fix counts as one."""
    model: str | None = None
    """A model as one more source: ``openai`` for any endpoint of that form; see ``docs/fix.md``."""
    jobs: int | None = None
    test_seconds: float | None = 5.0
    """Of the processor, after which one test is ended and counts as failed; None for as long as the limits let it."""
    limits: Limits | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    resume: bool = True
    """Whether what was judged before for the same tree and options is taken as it was."""
    rules: str | os.PathLike[str] | None = None
    """A file with rules of the user's own, or a folder of such files and of handlers; see ``docs/fix.md``."""
    remember: bool = False
    """Whether lines of fixes that worked are kept, and proposed for the same problem again."""
    sources: Sequence[Source] = ()
    """Own sources of proposals, beside those there are."""
    tell: Callable[[Event], None] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if isinstance(self.budget, bool) or not isinstance(self.budget, int | float) or not (
                0 < self.budget <= _MOST_SECONDS) or math.isnan(self.budget):
            raise UsageError(f"budget: not a number of seconds from above 0 to {_MOST_SECONDS:.0f}: {self.budget!r}"[
                :200], field="budget")
        if self.attempts is not None and (isinstance(self.attempts, bool) or not isinstance(self.attempts, int)
                                          or self.attempts < 1):
            raise UsageError(f"attempts: not a number from 1 up: {self.attempts!r}"[:200], field="attempts")
        Places(allow=self.allow, forbid=self.forbid)  # a glob that is none is refused before anything runs
        if self.model not in (None, "openai"):
            raise UsageError(f"model: {self.model!r:.60} is not one that is known (openai, for any endpoint of that "
                             "form)", field="model")

    @property
    def counts_lint(self) -> bool:
        """Whether a linter's findings are to be fixed too."""
        return bool(self.lint)

    def trial(self) -> Trial:
        """The same as a trial of nothing yet; a project without tests is judged by what else it has."""
        test = self.test
        if test is None:
            checks = discover(Folder(self.project, search=which), build=self.build, lint=self.lint)
            test = "" if checks.checks and not checks.of(Kind.TEST) else None
        return Trial(project=self.project, changes=ChangeSet(changes=()), build=self.build, lint=self.lint,
                     test=test, limits=self.limits, env=self.env, jobs=self.jobs, gate=self.gate,
                     test_seconds=self.test_seconds)
