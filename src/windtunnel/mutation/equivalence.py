"""Mutants that compile to the same code as the original, or as each other.

Trivial compiler equivalence: what the interpreter runs is compared, so a mutant that is dropped here could not be told
apart by any test that does not read source or line numbers. Only the expression, or the function or statement, that
holds the mutant is compiled, once with it and once without: the rest of the file is the same on both sides.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator
from types import CodeType

import libcst as cst

from windtunnel.mutation.candidates import Candidate
from windtunnel.mutation.encoding import quiet
from windtunnel.mutation.mutant import Mutant
from windtunnel.mutation.source import Source

BROKEN, EQUIVALENT, DUPLICATE = "does not compile", "same code as the original", "same code as another mutant"
_Key = tuple[object, ...]
_Unit = tuple[int, int, str]
"""A part of the text that compiles alone: offsets, and what must stand before it."""


def told_apart(source: Source, found: Iterable[Candidate], *, dropped: Counter[str]) -> Iterator[Mutant]:
    """The mutants that run differently from the original and from the ones before; the others are counted."""
    judge = _Judge(source)
    for candidate in found:
        with quiet():
            reason = judge.reason(candidate)
        if reason:
            dropped[reason] += 1
        else:
            yield candidate.mutant


class _Judge:
    """Compiles parts of one file, and remembers what they came to."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._units = sorted(_units(source.module.body, source))
        self._originals: dict[_Unit, _Key | None] = {}
        self._seen: dict[_Unit, set[_Key]] = {}

    def reason(self, candidate: Candidate) -> str:
        """Why a mutant is not worth running; empty if it is."""
        around = candidate.piece.around
        if around is not None:
            unit = *around, "("
            if self._original(unit) is not None:
                return self._compared(unit, candidate)
        return self._compared(self._unit(candidate), candidate)

    def _unit(self, candidate: Candidate) -> _Unit:
        at = bisect_right(self._units, candidate.piece.start, key=lambda unit: unit[0]) - 1
        if at >= 0 and candidate.piece.end <= self._units[at][1] and self._original(self._units[at]) is not None:
            return self._units[at]
        # What stands in no unit is the head of a class; and a unit may need what stands around it.
        return 0, len(self._source.text), ""

    def _original(self, unit: _Unit) -> _Key | None:
        if unit not in self._originals:
            self._originals[unit] = self._compiled(unit, self._source.text[unit[0]:unit[1]])
        return self._originals[unit]

    def _compared(self, unit: _Unit, candidate: Candidate) -> str:
        text, piece = self._source.text, candidate.piece
        key = self._compiled(
            unit, f"{text[unit[0]:piece.start]}{candidate.mutant.replacement}{text[piece.end:unit[1]]}")
        if key is None:
            return BROKEN
        if key == self._original(unit):
            return EQUIVALENT
        seen = self._seen.setdefault(unit, set())
        if key in seen:
            return DUPLICATE
        seen.add(key)
        return ""

    def _compiled(self, unit: _Unit, text: str) -> _Key | None:
        mode = "eval" if unit[2] == "(" else "exec"
        whole = f"(\n{text}\n)" if unit[2] == "(" else unit[2] + text
        try:
            code = compile(whole, self._source.path, mode, flags=self._source.flags, dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
            return None
        return code_key(code)


def _units(body: Iterable[cst.CSTNode], source: Source, *, before: str = "") -> Iterator[_Unit]:
    for statement in body:
        if isinstance(statement, cst.ClassDef) and isinstance(statement.body, cst.IndentedBlock):
            yield from _units(statement.body.body, source, before="class _:\n")
        else:
            yield *source.span(statement), before


def code_key(code: CodeType) -> _Key:
    """What the interpreter runs, without where it was written; equal for code that does the same in the same way."""
    return (code.co_code, code.co_exceptiontable, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
            code.co_flags, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_name,
            tuple(_constant(value) for value in code.co_consts))


def _constant(value: object) -> object:
    """A constant with its type: 1, 1.0 and True are equal and not the same."""
    if isinstance(value, CodeType):
        return code_key(value)
    if isinstance(value, tuple):
        return ("tuple", *(_constant(item) for item in value))
    if isinstance(value, frozenset):
        return ("frozenset", *sorted(repr((type(item).__name__, item)) for item in value))
    return type(value).__name__, repr(value)
