"""A function, method or class of a project, a call of it as text, and how calls of it ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import PurePosixPath

from windtunnel.core.errors import UsageError

MOST_TEXT = 4000
"""Letters that one input may be written with."""


class SectionKind(StrEnum):
    """What a section is, which says how it is called."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS_METHOD = "class method"
    STATIC_METHOD = "static method"
    PROPERTY = "property"
    CLASS = "class"
    TEST = "test"
    """One test of a project, run by the project's own test command."""
    FILE = "file"
    """A whole file, where nothing in it can be told apart; never called."""


class Ending(StrEnum):
    """How one call ended."""

    RETURNED = "returned"
    RAISED = "raised"
    NEVER_RETURNED = "never returned"
    """Its time ran out, and it was killed."""
    ENDED_PROCESS = "ended the process"
    """By a crash, a signal or an exit that nothing can catch."""
    UNMADE = "inputs not made"
    """A text of its inputs could not be evaluated, so nothing was called."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """One part of a project that can be called, or that cannot, with the reason."""

    path: str
    """Relative to the project."""
    name: str
    """As the file nests it: ``Class.method``; empty of a whole file."""
    kind: SectionKind
    module: str = ""
    """What ``import`` calls the file."""
    root: str = ""
    """The folder, relative to the project, from which that import works."""
    line: int = 1
    last: int = 1
    public: bool = True
    """No part of its name, nor of its module's unless the package exports it, begins with an underscore."""
    reason: str = ""
    """Why it cannot be called; empty where it can."""

    def __post_init__(self) -> None:
        """Refuse what leads out of the project."""
        for given in (self.path, self.root):
            if PurePosixPath(given).is_absolute() or ".." in PurePosixPath(given).parts or "\0" in given:
                raise UsageError(f"path: {given[:100]!r} does not stay in the project", field="path")

    @property
    def id(self) -> str:
        """What it is called in reports: ``path:name``."""
        return f"{self.path}:{self.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call, its inputs as source text that makes them anew each time."""

    section: Section
    arguments: tuple[tuple[str, str], ...] = ()
    """Texts by slot: the name of a parameter, ``*0`` … of those that follow, ``**name`` of further keywords."""
    receiver: str = ""
    """The object whose method it is, as text; empty of functions and classes."""
    hostile: bool = False
    """Whether an input was made to hurt."""

    def __post_init__(self) -> None:
        """Refuse texts that nobody would evaluate."""
        for _, text in (*self.arguments, ("", self.receiver)):
            if len(text) > MOST_TEXT:
                raise UsageError(f"arguments: a text of {len(text)} letters (at most {MOST_TEXT})", field="arguments")

    def __str__(self) -> str:
        """As a person would write it."""
        if self.section.kind is SectionKind.TEST:
            return self.section.name
        parts = [text if slot.startswith("*") and not slot.startswith("**") else f"{slot.lstrip('*')}={text}"
                 for slot, text in self.arguments]
        if self.section.kind is SectionKind.PROPERTY:
            return f"{self.receiver}.{self.section.name.rpartition('.')[2]}"
        name = f"{self.receiver}.{self.section.name.rpartition('.')[2]}" if self.receiver else self.section.name
        return f"{name}({', '.join(parts)})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """One call, and how it ended."""

    call: Call
    how: Ending
    error: str = ""
    """The type of what was raised, with its module unless that is ``builtins``."""
    message: str = ""
    digest: str = ""
    """Of what was returned, the same for equal values in any process; empty where values cannot be compared."""
    seconds: float = 0.0
    """Of the clock, what was returned drawn from included."""
    cpu_seconds: float = 0.0
    memory_bytes: int | None = None
    """By how much the process's peak grew over all that it had held before."""
    turn: int = 0
    """Which repetition it was, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Called:
    """One section, and how each call of it ended."""

    section: Section
    ends: tuple[Ended, ...] = ()
    failed: str = ""
    """Why nothing could be called, such as an import that fails; empty otherwise."""
    tries: int = 0
    """Inputs that were tried to find these calls."""
    lines_run: int = 0
    """Lines of its own that all tries together ran."""
    lines: int = 0
    """Lines of its own that could run; 0 where nobody looked."""
    remarks: tuple[str, ...] = ()
    """What became of inputs that somebody gave for it, where that is not what was meant."""
    unfit: frozenset[int] = frozenset()
    """Positions of stubs for every section that name a parameter which this one does not have."""

    @property
    def returned(self) -> bool:
        """Whether one call at least returned normally."""
        return any(ended.how is Ending.RETURNED for ended in self.ends)


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """How much of a project's files calls ran, the loading of the files included."""

    lines: int = 0
    """Statements that can run."""
    lines_run: int = 0
    branches: int = 0
    """Ways out of conditions and loops."""
    branches_taken: int = 0
    reason: str = ""
    """Why it is not known; empty where it is."""

    @property
    def line_share(self) -> float | None:
        """Of all statements; none where it is not known, or there is no statement."""
        return self.lines_run / self.lines if self.lines and not self.reason else None

    @property
    def branch_share(self) -> float | None:
        """Of all branches; none where it is not known, or there is no branch."""
        return self.branches_taken / self.branches if self.branches and not self.reason else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """All sections of a project."""

    sections: tuple[Section, ...] = ()
    """Those that can be called, by path and line."""
    skipped: tuple[Section, ...] = ()
    """Those that cannot, each with the reason."""
    left_out: int = 0
    """How many more there are than were asked for."""

    def by_id(self) -> Mapping[str, Section]:
        """Those that can be called."""
        return {section.id: section for section in self.sections}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stubs:
    """Inputs that somebody gave, as values by the name of a parameter."""

    everywhere: tuple[Mapping[str, object], ...] = ()
    """Tried on each section that has all these parameters."""
    by_section: Mapping[str, tuple[Mapping[str, object], ...]] = field(default_factory=dict)
    """By the section's id, its name, or the last part of that."""
    plugins: Mapping[str, bytes] = field(default_factory=dict)
    """Source of plugins by file name; they are run in the sandbox alone."""
