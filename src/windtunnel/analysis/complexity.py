"""Functions by lizard: cyclomatic complexity, lines and Halstead's volume; and which files are worth its time.

Lizard reads some 1.3 MB in a second, so in a tree with more code than ``MOST_CODE`` two things are measured: the files
with the most branches, where the worst functions are, and a sample drawn by the hash of each file, from which the
averages are taken. Both depend on the content alone, so the same tree gives the same answer everywhere.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from windtunnel.analysis.facts import Facts, Function
from windtunnel.core.analysis import Complexity

MOST_CODE = 512 * 1024
MISSING = "lizard is not installed, so no complexity was measured (pip install 'windtunnel[analysis]')"
SUFFIXES: Mapping[str, str] = {
    "C": "c", "C++": "cpp", "C#": "cs", "Erlang": "erl", "Fortran Free Form": "f90", "GDScript": "gd", "Go": "go",
    "Java": "java", "JavaScript": "js", "Kotlin": "kt", "Lua": "lua", "Objective-C": "m", "PHP": "php", "Perl": "pl",
    "Python": "py", "R": "r", "Ruby": "rb", "Rust": "rs", "Scala": "scala", "Solidity": "sol", "Swift": "swift",
    "TSX": "tsx", "TypeScript": "ts", "Zig": "zig"}
"""Languages that lizard reads, and by which ending it knows them."""
_MOST_FILE = 150_000
"""Lizard takes time by the square of the length on hostile text; larger files are not measured."""
_LONGEST_LINE = 2000
_MOST_NAME = 120
_SHOWN = 25
_FAILURES = (RecursionError, ValueError, IndexError, KeyError, AttributeError, TypeError, AssertionError, RuntimeError)
"""What lizard raises on text that is no program: its readers expect one."""


@dataclass(frozen=True, slots=True)
class Choice:
    """What to measure: all of it, or the worst and a sample."""

    worst: tuple[str, ...]
    sample: tuple[str, ...]
    candidates: int

    @property
    def whole(self) -> bool:
        """Whether nothing is left out."""
        return len(self.sample) == self.candidates


def choose(files: Mapping[str, Facts], hashes: Mapping[str, str], *, most: int | None = MOST_CODE) -> Choice:
    """The files to measure; ``most`` is None for all."""
    fitting = [
        path for path, one in files.items() if one.counts and one.language in SUFFIXES and one.bytes <= _MOST_FILE
    ]
    if most is None or sum(files[path].bytes for path in fitting) <= most:
        return Choice(worst=(), sample=tuple(fitting), candidates=len(fitting))
    worst = sorted(fitting, key=lambda path: (-files[path].branches, path))
    drawn = sorted(fitting, key=lambda path: (hashes[path], path))
    return Choice(
        worst=_within(worst, files, most // 2), sample=_within(drawn, files, most // 2), candidates=len(fitting)
    )


def _within(paths: Iterable[str], files: Mapping[str, Facts], most: int) -> tuple[str, ...]:
    taken = []
    for path in paths:
        most -= files[path].bytes
        if most < 0:
            break
        taken.append(path)
    return tuple(taken)


def measurer() -> Callable[[str, str], tuple[Function, ...]] | None:
    """Measures a text of a language; none where lizard is not installed."""
    try:
        import lizard  # noqa: PLC0415 -- an extra, and slow to load
    except ImportError:
        return None
    analyzer = lizard.FileAnalyzer([*lizard.get_extensions([]), _vocabulary])

    def measure(language: str, text: str) -> tuple[Function, ...]:
        if max(map(len, text.split("\n"))) > _LONGEST_LINE:
            return ()  # nobody wrote that by hand
        try:
            told = analyzer.analyze_source_code(f"x.{SUFFIXES[language]}", text)
        except _FAILURES:
            return ()
        return tuple(_function(one) for one in told.function_list)

    return measure


def _vocabulary(tokens: Iterable[str], reader: Any) -> Generator[str, None, None]:  # noqa: ANN401 -- lizard has no types
    """Lizard's way to see every token: note the different ones of each function."""
    for token in tokens:
        current = reader.context.current_function
        words = current.__dict__.setdefault("words", set())
        words.add(token)
        yield token


def _function(one: Any) -> Function:  # noqa: ANN401 -- lizard has no types
    different = max(2, len(one.__dict__.get("words", ())))
    return Function(
        name=str(one.name)[:_MOST_NAME],
        line=int(one.start_line),
        cyclomatic=int(one.cyclomatic_complexity),
        lines=int(one.nloc),
        volume=round(max(1, int(one.token_count)) * math.log2(different), 1),
    )


def maintainability(functions: Sequence[Function]) -> float | None:
    """Microsoft's index, 0 to 100, of each function, weighted by its lines.

    max(0, (171 - 5.2 ln(volume) - 0.23 cyclomatic - 16.2 ln(lines)) * 100 / 171).
    """
    weighed = [(max(1, one.lines), _index(one)) for one in functions]
    total = sum(lines for lines, _ in weighed)
    return sum(lines * index for lines, index in weighed) / total if total else None


def _index(one: Function) -> float:
    raw = 171 - 5.2 * math.log(max(1.0, one.volume)) - 0.23 * one.cyclomatic - 16.2 * math.log(max(1, one.lines))
    return min(100.0, max(0.0, raw * 100 / 171))


def worst(files: Mapping[str, Facts]) -> tuple[Complexity, ...]:
    """The functions that are hardest to follow, of all that were measured."""
    every = [Complexity(name=one.name, file=path, line=one.line, cyclomatic=one.cyclomatic, lines=one.lines)
             for path, facts in files.items() for one in facts.functions or ()]
    return tuple(sorted(every, key=lambda one: (-one.cyclomatic, -one.lines, one.file, one.line))[:_SHOWN])
