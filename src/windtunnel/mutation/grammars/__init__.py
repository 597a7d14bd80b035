"""Seeded defects in JavaScript, TypeScript, Go, Java and Rust, by grammars that know their syntax.

What holds: a mutant names the bytes that it replaces, and every other byte of the file stays. What does not: that it
compiles is likely and not sure, because nothing here runs, compiles or resolves anything. The grammars are an extra,
``windtunnel[syntax]``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection

from windtunnel.core.mutation import Mutant
from windtunnel.mutation.grammars.candidates import candidates, chosen
from windtunnel.mutation.grammars.forcing import forced_failures
from windtunnel.mutation.grammars.languages import grammar_of
from windtunnel.mutation.grammars.naming import function_at
from windtunnel.mutation.grammars.sameness import says_the_same
from windtunnel.mutation.grammars.source import read
from windtunnel.mutation.screening import Screened

__all__ = ["enclosing", "forced", "language_of", "same", "screened"]


def language_of(path: str) -> str | None:
    """The language of a file by its name, where there is a grammar for it."""
    grammar = grammar_of(path)
    return grammar.name if grammar is not None else None


def screened(source: bytes, *, path: str, lines: Collection[int] | None = None,
             operators: Collection[str] | None = None) -> Screened:
    """The mutants of a file that are worth running, in the order of the text; with ``lines``, those that touch them."""
    dropped: Counter[str] = Counter()
    found = tuple(candidates(read(source, path=path), lines=lines, operators=chosen(operators), dropped=dropped))
    return Screened(mutants=found, dropped=dict(dropped))


def forced(source: bytes, *, path: str) -> list[Mutant]:
    """For each function with a body, one that fails at once; in the order of the text."""
    return forced_failures(read(source, path=path))


def same(before: bytes, after: bytes, *, path: str) -> bool:
    """Whether two files say the same but for comments and white space; what cannot be read, only as it is."""
    return says_the_same(before, after, path=path)


def enclosing(source: bytes, *, path: str, line: int) -> str:
    """The qualified name of the innermost function around a line, counted from 1; empty outside of all."""
    return function_at(read(source, path=path), line=line)
