"""What became of a project's sections under many conditions, and which condition breaks which of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from windtunnel.core.metric import Findings
from windtunnel.core.randomness import fresh_id
from windtunnel.core.scenario import Condition, Edge, Scenario
from windtunnel.core.section import Covered, Section
from windtunnel.core.seen import CellState as State

__all__ = ["Blame", "Failing", "Outcome", "SectionEdge", "Simulation", "State"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One section under one scenario."""

    section: str
    scenario: str
    state: State
    """Broken: what it returned before it does not return now; it raises, never ends, or gives another value. Slow: it
    did the same, and took at least three times as long and a twentieth of a second more."""
    reason: str = ""
    """What broke, or how much slower it was, or why it was not run."""
    call: str = ""
    """The call that showed it, as a person would write it."""
    calls: int = 0
    seconds: float = 0.0
    """Of the median call, as all that follow."""
    calm_seconds: float = 0.0
    cpu_seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Blame:
    """A section that breaks, and the conditions that break it."""

    section: str
    conditions: tuple[str, ...]
    """Each of them alone breaks it; with ``together``, only all of them at once do. Empty where that was not found."""
    together: bool = False
    reason: str = ""
    call: str = ""
    scenarios: tuple[str, ...] = ()
    """Under which it was seen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """A section that breaks with no condition at all, by a mistake that no input explains."""

    section: str
    error: str
    """Such as ``NameError: name 'json' is not defined``."""
    program: str
    """Python that shows it, run in the project's folder; made of a hostile project's words, so only in a sandbox."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SectionEdge:
    """From which value on a condition breaks a section."""

    section: str
    edge: Edge
    """Both its values are none where the ends do not answer the same each time."""
    words: str
    """The same as people read it, or why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """All of it."""

    project: str
    seed: int
    scenarios: tuple[Scenario, ...]
    sections: tuple[Section, ...] = ()
    """Those that were called."""
    outcomes: tuple[Outcome, ...] = ()
    blames: tuple[Blame, ...] = ()
    edges: tuple[SectionEdge, ...] = ()
    """Of the sections that are blamed on a numeric condition, where they were asked for."""
    unsteady: Mapping[str, str] = field(default_factory=dict)
    """Sections that do not do the same twice without any condition, with what differed: nothing is said of them."""
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Sections that could not be called, with the reason."""
    failing: tuple[Failing, ...] = ()
    """Those of them that can only be mistakes."""
    conditions: Mapping[str, tuple[Condition, ...]] = field(default_factory=dict)
    """By scenario: what was asked for beside what was measured."""
    covered: Covered | None = None
    """What of the files the steady calls run without conditions; none where nobody asked."""
    findings: Findings | None = None
    """What bandit found in the files with sections; none where nobody asked, or where ``unscanned`` says why not."""
    unscanned: str = ""
    section_runs: int = 0
    seconds: float = 0.0
    notes: tuple[str, ...] = ()
    id: str = field(default_factory=fresh_id)

    @property
    def broken(self) -> int:
        """How many sections break under some condition."""
        return len({one.section for one in self.outcomes if one.state is State.BROKEN})
