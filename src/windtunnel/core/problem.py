"""One error found in a program's output."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from windtunnel.core.result import Level

Severity = Literal["error", "warning", "note"]


class ProblemKind(StrEnum):
    """What went wrong, in one set of words for all languages."""

    SYNTAX = "syntax"
    """The text is not the language."""
    NAME = "name"
    """A variable, function or type that nobody defined."""
    IMPORT = "import"
    """Code imports what cannot be found there."""
    ATTRIBUTE = "attribute"
    """A value, type or module has no such member."""
    TYPE = "type"
    """A value of another type than the place takes."""
    ARGUMENT = "argument"
    """Too many, too few or unknown arguments."""
    VALUE = "value"
    """The right type, and a value that cannot be used."""
    KEY = "key"
    INDEX = "index"
    NULL = "null"
    """``None``, ``null``, ``undefined`` or ``nil`` used as if something were there."""
    ASSERTION = "assertion"
    """A test or the program states what does not hold."""
    ARITHMETIC = "arithmetic"
    OVERFLOW = "overflow"
    RECURSION = "recursion"
    ENCODING = "encoding"
    IO = "io"
    """A file, pipe or program that is not there or ended."""
    PERMISSION = "permission"
    NETWORK = "network"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    CONCURRENCY = "concurrency"
    """Deadlock, race, a lock or channel used wrongly, something changed while it was walked."""
    BORROW = "borrow"
    """Ownership, borrows and lifetimes."""
    UNUSED = "unused"
    DUPLICATE = "duplicate"
    """The same name defined twice."""
    IMMUTABLE = "immutable"
    """What cannot be changed is given a new value."""
    ACCESS = "access"
    """Private, protected or otherwise out of reach."""
    UNHANDLED = "unhandled"
    """An error that must be handled or declared, and is not."""
    FLOW = "flow"
    """No value returned, code never reached, a variable without a value."""
    INTERFACE = "interface"
    """A member that an interface, trait or abstract class asks for is not there."""
    DEPENDENCY = "dependency"
    """A package that the manifest or its tool does not have."""
    CONFIGURATION = "configuration"
    CRASH = "crash"
    """The process ended by a signal or from the runtime's own fault."""
    STYLE = "style"
    GENERIC = "generic"
    """The program's own errors, and everything that no other word fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in the source."""

    file: str
    line: int | None = None
    column: int | None = None
    symbol: str | None = None
    """The function or method, where the output names it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceLine:
    """One line of a window into the code."""

    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One error: what kind, what it said, where, and what it came from."""

    kind: str
    """One of ``ProblemKind`` where it was diagnosed; in the report of a run, the language's own name for it."""
    message: str
    place: Place | None = None
    """The innermost place in the program's own files."""
    frames: tuple[Place, ...] = ()
    """All places named, outermost first."""
    cause: Problem | None = None
    """The error that this one came from, where the output shows a chain."""
    causes: tuple[str, ...] = ()
    """Likely causes, in words, likeliest first."""
    name: str = ""
    """The tool's own name: ``ValueError``, ``TS2322``, ``E0308``, ``panic`` …"""
    tool: str = ""
    """Who said it: ``python``, ``pytest``, ``javac``, ``go test`` …"""
    language: str = ""
    normal: str = ""
    """The message with marks for paths, addresses, numbers and quoted names, so that equal problems are equal."""
    severity: Severity = "error"
    test: str = ""
    """The test that failed by it, as its runner calls it."""
    expected: str | None = None
    """The value or type that was wanted, where the message tells it."""
    actual: str | None = None
    own: tuple[Place, ...] = ()
    """Those of the frames that are in the project."""
    window: tuple[SourceLine, ...] = ()
    """The code around the place."""
    caused_by: str = ""
    """The fingerprint of the problem without which this one would not be there."""
    help: str = ""
    """What the tool itself suggests, as it drew it: lines of code with their numbers and marks; bounded."""

    @property
    def fingerprint(self) -> str:
        """The same for the same problem after edits elsewhere: kind, name, normal message, file and symbol."""
        place = self.place
        where = ("", "") if place is None else (place.file, place.symbol or "")
        parts = "\0".join((self.kind, self.name, self.normal or self.message, *where))
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """Problems with one cause, the clearest of them first."""

    problems: tuple[Problem, ...]

    @property
    def first(self) -> Problem:
        """The one to look at."""
        return self.problems[0]

    @property
    def tests(self) -> tuple[str, ...]:
        """Tests that failed by it."""
        return tuple(dict.fromkeys(one.test for one in self.problems if one.test))


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """All problems of a project or of a text."""

    clusters: tuple[Cluster, ...] = ()
    """Most worth looking at first; those caused by others come after them."""
    commands: tuple[str, ...] = ()
    """What was run; empty where a text was read."""
    notes: tuple[str, ...] = ()
    """What was odd or could not be run."""
    level: Level | None = None
    execution_time: float = 0.0
    suspects: tuple[Suspect, ...] = ()
    """Code that failing tests ran and passing ones did not, most suspicious first."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """One for each cluster."""
        return tuple(cluster.first for cluster in self.clusters)

    @property
    def errors(self) -> tuple[Problem, ...]:
        """Those of them that are no mere warnings."""
        return tuple(problem for problem in self.problems if problem.severity == "error")


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A function that failing tests ran, with its Ochiai score."""

    place: Place
    score: float
    """``failed / sqrt(all failing * all that ran it)``: 1.0 where all failing tests ran it and no other did."""
    failing: int
    passing: int
    tests: tuple[str, ...] = field(default=())
    """A few of the failing tests that ran it."""
