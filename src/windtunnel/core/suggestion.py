"""A test that would notice a mutant which nobody noticed: the nouns."""

from __future__ import annotations

from dataclasses import dataclass

WARNING = "What these tests assert is what the code does now, right or wrong: read them before you keep them."


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestion:
    """One test, tried: it passes on the code as it is, and fails with each of the mutants that it is for."""

    name: str
    """Of the function, which is a test."""
    path: str
    """The test file to put it in."""
    new_file: bool
    """Whether there is no such file yet."""
    imports: tuple[str, ...]
    """Lines that the file needs besides, at its top."""
    code: str
    """The test itself."""
    source: str
    """The file that holds the function it calls."""
    function: str
    kills: tuple[str, ...]
    """Names of the mutants that it notices."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsuggested:
    """A mutant for which there is no test, and why."""

    mutant: str
    """Its name."""
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Suggestions:
    """All of a run."""

    tests: tuple[Suggestion, ...] = ()
    without: tuple[Unsuggested, ...] = ()
    diff: str = ""
    """All tests together, as a change to be tried or applied."""
    tries: int = 0
    """Inputs that were tried."""
    seconds: float = 0.0
    """Of the clock, for all of it."""
    warning: str = WARNING
