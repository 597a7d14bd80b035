"""What every reader is made of, and the few moves they share.

All that is read here was written by a program nobody trusts. Each reader walks the lines once, with patterns that
cannot backtrack far over lines of bounded length, and never raises. What is found is what the output says: a program
can print a trace that never happened.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from windtunnel.core.problem import Place, Problem, ProblemKind, Severity

MOST_CHAIN = 20
"""How deep a chain of causes is followed, so that nobody who walks it runs out of stack."""
MOST_FRAMES = 100
"""Frames kept of one trace: as many of the outermost as of the innermost."""
MOST_MESSAGE = 2000
"""Characters kept of one message."""

Patterns = Sequence[tuple[re.Pattern[str], ProblemKind]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A problem, and the lines that told of it: no other reader takes them."""

    problem: Problem
    first: int
    last: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Output of a real tool, and (kind, file, line) of what must be read from it; empty where nothing must be."""

    output: str
    problems: tuple[tuple[str, str | None, int | None], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Reads the problems of one tool from its output."""

    name: str
    language: str
    read: Callable[[Sequence[str]], Iterable[Found]]
    examples: tuple[Example, ...] = ()


def patterns(*rows: tuple[str, ProblemKind]) -> Patterns:
    """A table of words and what they mean; the first that is found counts."""
    return tuple((re.compile(words), kind) for words, kind in rows)


def kind_of(message: str, table: Patterns) -> ProblemKind | None:
    """What the message says by the table; None where it says nothing known."""
    return next((kind for words, kind in table if words.search(message)), None)


def named_kind(name: str, message: str, *, names: Mapping[str, ProblemKind], refined: Mapping[str, Patterns]) -> (
        ProblemKind):
    """By what the message says under this name, else by the name alone."""
    last = re.split(r"[.$:]", name)[-1]
    found = kind_of(message, refined.get(last, ()))
    return found or names.get(last) or ProblemKind.GENERIC


def problem(
    kind: ProblemKind, message: str, *, name: str, frames: Iterable[Place] = (), place: Place | None = None,
    severity: Severity = "error", test: str = "",
) -> Problem:
    """One problem with everything bounded; frames are given outermost first."""
    kept = tuple(frames)
    if len(kept) > MOST_FRAMES:
        kept = kept[: MOST_FRAMES // 2] + kept[-MOST_FRAMES // 2 :]
    return Problem(kind=kind, message=message.strip()[:MOST_MESSAGE], name=name[:200], place=place, frames=kept,
                   severity=severity, test=test[:500])


def caused(error: Problem, cause: Problem | None) -> Problem:
    """The error with its cause, unless the chain would become too long to walk."""
    depth, step = 0, cause
    while step is not None:
        depth, step = depth + 1, step.cause
    return replace(error, cause=cause) if depth < MOST_CHAIN else error


def chained(errors: Sequence[Problem]) -> list[Problem]:
    """A chain given root cause first, each error linked to the one it came from."""
    linked: list[Problem] = []
    for error in errors:
        linked.append(caused(error, linked[-1]) if linked else error)
    return linked


def moved(found: Iterable[Found], by: int) -> list[Found]:
    """What was found in a part of the lines, as lines of the whole."""
    return [replace(one, first=one.first + by, last=one.last + by) for one in found]
