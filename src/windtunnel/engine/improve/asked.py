"""What is asked of cycles that improve a project."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits
from windtunnel.engine.improve.stand import DATABASES
from windtunnel.engine.trial import Trial
from windtunnel.speedups.compare import Terms

_MOST_SECONDS = 24 * 3600.0
_MOST_CYCLES = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Improve:
    """A project, what it is to be faster at, and how long that is looked for."""

    project: str | os.PathLike[str]
    workload: str | None = None
    """The command whose processor time is to fall; none takes ``python workload.py`` (or ``benchmark.py``) where there
    is such a file, else the tests where pytest runs them."""
    test: str | None = None
    """Own command; None finds one."""
    cycles: int = 10
    seconds: float = 600.0
    """Wall time for looking; what is under way then is not kept, and the proof of what was kept comes after."""
    worthwhile: float = 0.02
    """The least gain for which an edit is kept, as a share of the time of the workload."""
    seed: int = 0
    apply: bool = False
    """Whether what was kept is written into the project in the end."""
    resume: bool = True
    """Whether what was judged before for the same tree and options is taken as it was."""
    limits: Limits | None = None
    env: Mapping[str, str] = field(default_factory=dict)
    tell: Callable[[str], None] | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be meant."""
        if isinstance(self.cycles, bool) or not isinstance(self.cycles, int) or not 1 <= self.cycles <= _MOST_CYCLES:
            raise UsageError(f"cycles: not a number from 1 to {_MOST_CYCLES}: {self.cycles!r:.60}", field="cycles")
        if isinstance(self.seconds, bool) or not isinstance(self.seconds, int | float) or not (
                0 < self.seconds <= _MOST_SECONDS) or math.isnan(self.seconds):
            raise UsageError(f"seconds: not a number above 0 and up to {_MOST_SECONDS:.0f}: {self.seconds!r:.60}",
                             field="seconds")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int):
            raise UsageError(f"seed: not a whole number: {self.seed!r:.60}", field="seed")
        for name in sorted(self.env.keys() & DATABASES.keys()):
            raise UsageError(f"env: {name} is always a temporary database here", field="env")
        self.terms()

    def terms(self) -> Terms:
        """When an edit is kept."""
        return Terms(worthwhile=self.worthwhile)

    def trial(self) -> Trial:
        """As a trial of nothing yet; what a linter says of an edit is shown and keeps nothing out."""
        return Trial(project=self.project, changes=ChangeSet(changes=()), test=self.test, limits=self.limits,
                     env={**self.env, **DATABASES}, lint_counts=False)
