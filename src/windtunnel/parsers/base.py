"""What every parser is made of, and the few moves they share.

All that is read here was written by a program nobody trusts. Each parser walks the lines once, with
patterns that cannot backtrack far over lines of bounded length, and never raises. What a parser
finds is what the output says: a program can print a trace that never happened.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from windtunnel.core.problem import Place, Problem

MOST_CHAIN = 20
"""How deep a chain of causes is followed, so that nobody who walks it runs out of stack."""
MOST_PROBLEMS = 50
"""Problems kept of one output: as many of the first as of the last."""
MOST_FRAMES = 100
"""Frames kept of one trace: as many of the outermost as of the innermost."""
MOST_MESSAGE = 2000
"""Characters kept of one message."""

_ROOT = "/sandbox/"
_LIBRARIES = ("/node_modules/", "/site-packages/", "/dist-packages/")
_NOT_FILES = ("/", "../", "<", "[", "node:", "ext:", "internal:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Output of a real tool and what must be read from it; an empty expectation must be left alone."""

    stderr: str = ""
    stdout: str = ""
    expected: tuple[Problem, ...] = ()
    """Without likely causes, which are added from the parser's table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parser:
    """Reads the errors of some languages from their output."""

    name: str
    languages: tuple[str, ...]
    """Names and aliases it answers to."""
    parse: Callable[[str, str], tuple[Problem, ...]]
    """From tidy standard error and standard output, root cause first; empty when nothing is known."""
    causes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Likely causes by kind (its last dotted part), or by a part of the message."""
    examples: tuple[Example, ...] = ()

    def likely(self, problem: Problem) -> tuple[str, ...]:
        """Likely causes of one problem; the kind decides before the message does."""
        exact = self.causes.get(problem.kind.rpartition(".")[2])
        if exact is not None:
            return exact
        return next((words for part, words in self.causes.items() if part in problem.message), ())


def own(place: Place) -> bool:
    """Whether the place is in the program's own files: below /sandbox, or named by a relative path."""
    if any(folder in place.file for folder in _LIBRARIES):
        return False
    return place.file.startswith(_ROOT) or not place.file.startswith(_NOT_FILES)


def innermost(frames: Sequence[Place]) -> Place | None:
    """The last of the frames that is in the program's own files."""
    return next((frame for frame in reversed(frames) if own(frame)), None)


def problem(kind: str, message: str, *, frames: Iterable[Place] = (), place: Place | None = None) -> Problem:
    """One problem with everything bounded; the place is the innermost own frame unless it is given."""
    kept = tuple(frames)
    place = place or innermost(kept)
    if len(kept) > MOST_FRAMES:
        kept = kept[: MOST_FRAMES // 2] + kept[-MOST_FRAMES // 2 :]
    return Problem(kind=kind, message=message.strip()[:MOST_MESSAGE], place=place, frames=kept)


def caused(error: Problem, cause: Problem | None) -> Problem:
    """The error with its cause, unless the chain would become too long to walk."""
    depth, step = 0, cause
    while step is not None:
        depth, step = depth + 1, step.cause
    return replace(error, cause=cause) if depth < MOST_CHAIN else error


def chain(errors: Sequence[Problem]) -> tuple[Problem, ...]:
    """A chain given root cause first, each error linked to the one it came from."""
    linked: list[Problem] = []
    for error in errors:
        linked.append(caused(error, linked[-1]) if linked else error)
    return tuple(linked)


def fatal_first(chains: Sequence[Sequence[Problem]]) -> tuple[Problem, ...]:
    """All problems, the last chain before the others: what is printed last is what ended the program."""
    return tuple(error for errors in (*chains[-1:], *chains[:-1]) for error in errors)
