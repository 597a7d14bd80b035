"""Fixes: what is proposed for a failing project, how each proposal was judged, and what came of it all."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal, TypeAlias

from windtunnel.core.change import ChangeSet
from windtunnel.core.problem import Place, Problem
from windtunnel.core.result import Level
from windtunnel.core.trial import SandboxResult

Origin = Literal["rule", "syntax", "search", "tool", "history", "model", "user"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileEdit:
    """One file with its whole new text."""

    path: str
    """Relative to the project, with forward slashes."""
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An edit that may fix a problem; nobody has tried it yet."""

    edits: tuple[FileEdit, ...]
    origin: Origin
    name: str
    """Which rule or sort of edit: ``missing-import``, ``comparison`` …; whole words with hyphens."""
    reason: str
    """One sentence for people: what is changed, and why that may help."""
    place: Place
    prior: float
    """From 0 to 1: how likely it is right, before anything was learned here."""
    features: Mapping[str, float] = field(default_factory=dict)
    """What the order learns from besides origin and name: each from 0 to 1."""

    @property
    def key(self) -> str:
        """The same for the same texts, whoever proposes them."""
        parts = "\0".join(f"{edit.path}\0{edit.text}" for edit in sorted(self.edits, key=lambda one: one.path))
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()

    def diff(self, read: Callable[[str], str | None]) -> str:
        """As a unified diff against what ``read`` gives."""
        return "".join(unified(edit.path, read(edit.path) or "", edit.text) for edit in self.edits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """A statement that failing tests ran, by its first line."""

    path: str
    line: int
    score: float
    """Ochiai: ``failed / sqrt(all failing * all that ran it)``."""
    failing: int = 0
    passing: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a source of proposals is shown of a failing project; all of it is hostile input."""

    paths: tuple[str, ...]
    """Files that may be changed: the project's own code, no tests."""
    read: Callable[[str], str | None]
    """The text of any file of the project; None where there is none or it is no text."""
    problems: tuple[Problem, ...] = ()
    """Most worth looking at first."""
    suspicions: tuple[Suspicion, ...] = ()
    """Most suspicious first; empty where nothing was traced."""
    test_paths: tuple[str, ...] = ()
    types: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    """Seen while the failing tests ran: ``path:line`` of a function's ``def`` -> local name -> names of its types."""
    packages: tuple[str, ...] = ()
    """Names that can be imported there beside the standard library's."""


Source: TypeAlias = Callable[[Scene], Iterator[Proposal]]
"""Something that proposes fixes, lazily, its best ones first; it never raises over what a file holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule or sort of edit that is known here, with an example for people."""

    name: str
    """As in ``Proposal.name``."""
    origin: Origin
    languages: tuple[str, ...]
    what: str
    """One sentence: what is changed, and when."""
    before: str
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What the tests said of one proposal."""

    key: str
    passed: frozenset[str] = frozenset()
    failed: frozenset[str] = frozenset()
    """Of the tests that were asked; those after the first failure may not have been."""
    error: str = ""
    """Why nothing could be asked: it does not load, it ran out of time …"""
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        """Whether all that were asked pass."""
        return bool(self.passed) and not self.failed and not self.error


class FixState(StrEnum):
    """How looking for a fix ended."""

    FIXED = "fixed"
    """A diff passes everything, and the tests were not bent."""
    DOUBTED = "doubted"
    """A diff passes everything, and could not be told from a special case of the tests: offered with that warning."""
    PARTLY = "partly fixed"
    """Fewer tests fail than before, and none that passed."""
    UNFIXED = "not fixed"
    NOTHING = "nothing to fix"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One proposal that was tried."""

    number: int
    origin: str
    name: str
    reason: str
    place: str
    """``path:line``."""
    outcome: str
    """``fixes all``, ``fixes 2 of 3``, ``changes nothing``, ``breaks 1``, ``does not load`` …"""
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FixResult:
    """What looking for a fix found."""

    id: str
    state: FixState
    project: str
    reason: str
    """Why it ended so, in one sentence."""
    diff: str = ""
    """The smallest proven one; empty where there is none."""
    changes: ChangeSet | None = None
    explanation: tuple[str, ...] = ()
    """One sentence for each edit of the diff."""
    warnings: tuple[str, ...] = ()
    alternatives: tuple[str, ...] = ()
    """Other diffs that pass everything too, next best first."""
    question: str = ""
    """What a person would have to answer, where nothing was found or several differ."""
    confidence: float = 0.0
    regression_test: str = ""
    """A test for the fault as a diff, where one was written."""
    attempts: tuple[Attempt, ...] = ()
    tried: int = 0
    """Proposals judged by tests; none twice."""
    dropped: int = 0
    """Proposals that were not worth a test: they do not parse, are the same, or undo another."""
    problems: tuple[Problem, ...] = ()
    trial: SandboxResult | None = None
    """The trial of the diff."""
    applied: bool = False
    level: Level | None = None
    execution_time: float = 0.0
    notes: tuple[str, ...] = ()

    @property
    def success(self) -> bool:
        """Whether there is a diff to take without a second look."""
        return self.state in {FixState.FIXED, FixState.NOTHING}


def unified(path: str, before: str, after: str) -> str:
    """One file's unified diff, in the form that git applies; empty where nothing differs."""
    if before == after:
        return ""
    lines = difflib.unified_diff(before.splitlines(keepends=True), after.splitlines(keepends=True),
                                 f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
