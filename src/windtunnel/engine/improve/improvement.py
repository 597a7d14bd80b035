"""What cycles of improvement came to."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from windtunnel.core.change import ChangeSet
from windtunnel.core.randomness import fresh_id
from windtunnel.core.trial import SandboxResult
from windtunnel.engine.improve.timing import INSTRUCTIONS


class Origin(StrEnum):
    """Who proposed an edit."""

    RULE = "rule"
    FIX = "fix engine"
    MODEL = "model"


class Outcome(StrEnum):
    """How it ended."""

    IMPROVED = "improved"
    UNCHANGED = "not improved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One edit that was tried; what was not kept left nothing behind."""

    cycle: int
    kept: bool
    rule: str
    path: str
    function: str
    reason: str
    """Why it may be faster."""
    why: str
    """Why it was kept or not."""
    share: float = 0.0
    """Of the time of the workload, that the function took with all that it calls; 0 where that is not known."""
    gain: float | None = None
    """Of the processor time of the workload, as a share; none where it never came to timing. Between ``low`` and
    ``high`` with 95 % confidence."""
    low: float | None = None
    high: float | None = None
    pairs: int = 0
    before_seconds: float | None = None
    """Of the processor, for one run of the workload; and after the edit."""
    after_seconds: float | None = None
    compared: int = 0
    """Inputs that were answered alike."""
    diff: str = ""
    origin: str = Origin.RULE
    key: str = ""
    """The same for the same edit, or for the same question to a model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Improvement:
    """All of it."""

    state: Outcome
    project: str
    reason: str
    workload: str
    id: str = field(default_factory=fresh_id)
    steps: tuple[Step, ...] = ()
    cycles: int = 0
    diff: str = ""
    changes: ChangeSet | None = None
    gain: float | None = None
    """Of all that was kept together."""
    low: float | None = None
    high: float | None = None
    before_seconds: float | None = None
    """Of the processor, for one run of the workload."""
    after_seconds: float | None = None
    instructions: str = INSTRUCTIONS
    untouched: bool = True
    """Whether the project on disk was, after looking, to the byte what it was before."""
    trial: SandboxResult | None = None
    """The trial of all that was kept."""
    applied: bool = False
    execution_time: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def kept(self) -> tuple[Step, ...]:
        """Those that stayed."""
        return tuple(step for step in self.steps if step.kept)

    @property
    def success(self) -> bool:
        """Whether it is faster, and that is proven."""
        return self.state is Outcome.IMPROVED
