"""Errors of tools and programs as problems: one file per tool, one literal table, one set of words for all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from windtunnel.core.problem import Place, Problem, ProblemKind
from windtunnel.diagnosis import (
    go_build,
    go_run,
    go_test,
    java,
    javac,
    jest,
    kinds_rust,
    managers,
    node,
    pytest,
    python,
    rust_run,
    rustc,
    tap,
    typescript,
    unittest,
)
from windtunnel.diagnosis.advice import advice
from windtunnel.diagnosis.base import Example, Found, Reader
from windtunnel.diagnosis.frameworks import meaning
from windtunnel.diagnosis.generic import telling
from windtunnel.diagnosis.normal import normal
from windtunnel.diagnosis.sources import Sources
from windtunnel.diagnosis.text import tidy
from windtunnel.diagnosis.values import values

__all__ = ["READERS", "Example", "Reader", "Sources", "finished", "problems_in"]

READERS: tuple[Reader, ...] = (
    pytest.READER,
    unittest.READER,
    jest.READER,
    tap.READER,
    go_test.READER,
    rust_run.READER,
    typescript.READER,
    rustc.READER,
    javac.READER,
    go_build.READER,
    go_run.READER,
    java.READER,
    node.READER,
    python.READER,
    managers.READER,
)
"""In this order: lines that one of them took are not given to the next, so those that know more come first."""
MOST_PROBLEMS = 500
"""Problems kept of one output: as many of the first as of the last."""


def problems_in(
    text: str, *, sources: Sources | None = None, failed: bool | None = None, tool: str = "",
) -> tuple[Problem, ...]:
    """The problems that the output of a tool tells of, in the order in which they stand; a root before what it caused.

    Never raises, whatever the text is, and reads a bounded part of it. Output that no reader knows gives one generic
    problem where it is known to have ``failed``, or where its words say so; ``tool`` is the name for that.
    """
    lines = go_test.unfolded(tidy(text))
    taken = bytearray(len(lines))
    found: list[tuple[Found, Reader]] = []
    for reader in READERS:
        own = [one for one in reader.read(lines) if not any(taken[one.first : one.last + 1])]
        for one in own:
            taken[one.first : one.last + 1] = b"\1" * len(taken[one.first : one.last + 1])
        found += [(one, reader) for one in own]
    found.sort(key=lambda pair: pair[0].first)
    if len(found) > MOST_PROBLEMS:
        found = found[: MOST_PROBLEMS // 2] + found[-MOST_PROBLEMS // 2 :]
    place_of = sources or Sources()
    if not any(one.problem.severity == "error" for one, _ in found):
        rest = telling(lines, failed=failed) if failed or not found else None
        if rest is not None:
            return (*_all(found, place_of), finished(replace(rest, tool=tool or "output"), place_of))
    return tuple(_all(found, place_of))


def _all(found: list[tuple[Found, Reader]], sources: Sources) -> list[Problem]:
    """Each finished once, and still linked to the very one it came from."""
    done: dict[int, Problem] = {}
    for one, reader in found:
        error = one.problem
        cause = None if error.cause is None else done.get(id(error.cause))
        told = replace(error, tool=reader.name, language=reader.language, cause=cause)
        done[id(error)] = finished(told, sources)
    return list(done.values())


def finished(problem: Problem, sources: Sources) -> Problem:
    """With its place as the project names it, the code around, values, the normal message and likely causes."""
    own = tuple(place for frame in problem.frames if (place := sources.own(frame)) is not None)
    given = sources.own(problem.place) if problem.place is not None else None
    place = given or (_innermost(own, problem.kind) if own else problem.place)
    if place is not None:
        place = _within(place, problem, sources=sources)
    expected, actual = values(problem.message)
    there = meaning(problem)
    kind = there.kind if there is not None else _by_code(problem, place, sources=sources)
    causes = problem.causes or ((there.cause,) if there is not None else ()) + advice(kind)
    return replace(
        problem, kind=kind, place=place, own=own, normal=normal(problem.message), causes=causes,
        expected=problem.expected or expected, actual=problem.actual or actual,
        window=(sources.window(place) if place is not None else ()) or problem.window,
        caused_by=problem.cause.fingerprint if problem.cause is not None else problem.caused_by)


def _innermost(own: Sequence[Place], kind: str) -> Place:
    """The last frame; of a recursion the one that is there most often, since the stack may end anywhere in it."""
    if kind != ProblemKind.RECURSION:
        return own[-1]
    often = Counter((place.file, place.line) for place in own)
    return max(reversed(own), key=lambda place: often[place.file, place.line])


def _within(place: Place, problem: Problem, *, sources: Sources) -> Place:
    """With its symbol; an import that was told without a line is at the line that names it."""
    if place.line is None and problem.kind == ProblemKind.IMPORT:
        place = replace(place, line=sources.mention(place.file, problem.message))
    return replace(place, symbol=sources.symbol(place) or place.symbol)


def _by_code(problem: Problem, place: Place | None, *, sources: Sources) -> str:
    """The kind, where only the code at the place tells it."""
    lines = sources.lines(place.file) if problem.name == "panic" and place is not None else None
    if lines is None or place is None or place.line is None or not 0 < place.line <= len(lines):
        return problem.kind
    return kinds_rust.panic_kind(problem.kind, problem.message, code=lines[place.line - 1])
