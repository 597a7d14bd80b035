"""From lines that tests ran to statements that are suspicious."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from windtunnel.core.repair import Suspicion

_AT_END, _ON_WAY = 0.25, 0.1
"""Added for a statement that a failing test's trace ends in, and for one that it passes through."""
_LOADED = 0.5
"""What counts of a statement that only loading runs, which no test is seen to run."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_REFUSED = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What one test ran."""

    failed: bool
    lines: Mapping[str, frozenset[int]] = field(default_factory=dict)
    frames: tuple[tuple[str, int], ...] = ()
    """Where its failure passed through, the innermost place last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """Where the statements of a file are."""

    first: Mapping[int, int] = field(default_factory=dict)
    """The first line of the innermost statement of each line; of a compound one only its head."""
    loading: frozenset[int] = frozenset()
    """First lines of statements that run when the file is loaded and hold values."""
    definitions: Mapping[int, int] = field(default_factory=dict)
    """The line of ``def`` by the first line of a function, decorators included."""


def lines_of(source: bytes) -> Lines:
    """Of a file that cannot be read nothing is known."""
    try:
        tree = ast.parse(source)
    except _REFUSED:
        return Lines()
    first: dict[int, int] = {}
    for node in ast.walk(tree):  # outer ones come first, so that inner ones stand
        if isinstance(node, ast.stmt):
            last = node.end_lineno or node.lineno
            body = getattr(node, "body", None) or getattr(node, "cases", None)
            if isinstance(body, list) and body:
                last = max(node.lineno, _start(body[0]) - 1)
            first |= dict.fromkeys(range(node.lineno, last + 1), node.lineno)
    definitions = {_start(node): node.lineno for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)}
    return Lines(first=first, loading=frozenset(_loading(tree.body)), definitions=definitions)


def suspicions(ran: Sequence[Ran], read: Callable[[str], bytes | None]) -> tuple[Suspicion, ...]:
    """Most suspicious first: by Ochiai, and more so where a failing test's trace passed through."""
    failing = [one for one in ran if one.failed]
    files = {path: lines_of(read(path) or b"") for path in sorted({path for one in failing for path in one.lines})}
    found: dict[tuple[str, int], list[int]] = {}
    loaded: set[tuple[str, int]] = set()
    for one in ran:
        for place in _statements(one, files):
            found.setdefault(place, [0, 0])[not one.failed] += 1
    for path, lines in files.items():
        counts = [sum(path in one.lines for one in ran if one.failed is failed) for failed in (True, False)]
        for line in lines.loading:
            if (path, line) not in found:
                loaded.add((path, line))
                found[path, line] = counts
    bonus = _bonus(failing, files)
    made = [
        _suspicion(place, counts, len(failing), more=bonus.get(place, 0.0), part=_LOADED if place in loaded else 1.0)
        for place, counts in found.items() if counts[0]]
    return tuple(sorted(made, key=lambda one: (-one.score, one.path, -one.line)))


def _suspicion(place: tuple[str, int], counts: list[int], failing: int, *, more: float, part: float) -> Suspicion:
    failed, passed = counts
    score = part * failed / math.sqrt(failing * (failed + passed)) + more
    return Suspicion(path=place[0], line=place[1], score=round(score, 6), failing=failed, passing=passed)


def _statements(one: Ran, files: Mapping[str, Lines]) -> set[tuple[str, int]]:
    return {(path, files[path].first.get(line, line)) for path, lines in one.lines.items() if path in files
            for line in lines}


def _bonus(failing: Sequence[Ran], files: Mapping[str, Lines]) -> dict[tuple[str, int], float]:
    found: dict[tuple[str, int], float] = {}
    for one in failing:
        for at, (path, line) in enumerate(reversed(one.frames)):
            place = path, files[path].first.get(line, line) if path in files else line
            found[place] = max(found.get(place, 0.0), _ON_WAY if at else _AT_END)
    return found


def _loading(body: Sequence[ast.stmt]) -> Iterator[int]:
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _loading(node.body)
        elif isinstance(node, _FUNCTIONS):
            if node.args.defaults or any(node.args.kw_defaults) or node.decorator_list:
                yield node.lineno
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            yield node.lineno
        elif not isinstance(node, ast.Import | ast.ImportFrom | ast.Expr | ast.Pass):
            for name in ("body", "orelse", "finalbody"):
                yield from _loading(getattr(node, name, None) or ())


def _start(node: ast.stmt | ast.match_case) -> int:
    """The first line, decorators included."""
    if isinstance(node, ast.match_case):
        return int(node.pattern.lineno)
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(one.lineno for one in decorators)])
