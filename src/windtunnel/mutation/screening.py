"""The mutants worth running, and why the others are not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.mutation.candidates import Candidate, candidates, chosen
from windtunnel.mutation.equivalence import told_apart
from windtunnel.mutation.mutant import Mutant
from windtunnel.mutation.operator import Operator
from windtunnel.mutation.source import read


@dataclass(frozen=True, slots=True, kw_only=True)
class Screened:
    """What is left of a file's mutants."""

    mutants: tuple[Mutant, ...]
    """In the order of the text."""
    dropped: Mapping[str, int]
    """How many were left out, by reason: a pattern's name, or what the compiler showed."""


def screened(source: bytes, *, path: str, lines: Collection[int] | None = None,
             operators: Collection[str] | None = None, custom: Sequence[Operator] = (),
             representations: bool = False, distrusted: Collection[int] = ()) -> Screened:
    """The mutants of a file that compile, and that run differently from the original and from each other.

    Comments in ``distrusted`` lines exempt nothing.
    """
    parsed, dropped = read(source, path=path, lines=lines), Counter[str]()

    def unknown() -> Iterator[Candidate]:
        for candidate in candidates(parsed, lines=lines, operators=chosen(operators, custom=custom),
                                    representations=representations, distrusted=distrusted):
            if candidate.equivalent:
                dropped[candidate.equivalent] += 1
            else:
                yield candidate

    return Screened(mutants=tuple(told_apart(parsed, unknown(), dropped=dropped)), dropped=dict(dropped))
