"""Mutants as the runner inside a sandbox gets them: with the lines whose tests can notice each."""

from __future__ import annotations

import ast
import io
import itertools
import tokenize
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

from windtunnel.core.mutation import Mutant

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_FORCED = "raise AssertionError('forced by windtunnel')"
Row = dict[str, object]


def rows(mutants: Collection[Mutant], files: Mapping[str, bytes], *, narrow: bool = False) -> list[Row]:
    """A row for each, in their order; then one for each function, that makes it fail at once.

    ``narrow``: those that hold one of the mutants come first in line, and of the others no inner ones are looked for.
    """
    touched: dict[str, set[int]] = {}
    for mutant in mutants:
        touched.setdefault(mutant.path, set()).update(range(mutant.line, mutant.end_line + 1))
    trees = {path: ast.parse(files[path]) for path in touched}
    statements = {path: statements_of(near(tree, touched[path])) for path, tree in trees.items()}
    made: list[Row] = []
    for mutant in mutants:
        first, last = _lines(statements[mutant.path], mutant)
        made.append({"id": mutant.id, "path": mutant.path, "start": mutant.start, "end": mutant.end, "first": first,
                     "last": last, "replacement": _stored(mutant.replacement, files[mutant.path]),
                     "function": mutant.function, "part": mutant.operator == "revert"})
    for path, tree in trees.items():
        made += _forced(path, files[path], ast.walk(tree) if not narrow else _outer(tree.body))
        if narrow:
            made += [row | {"near": True} for row in _forced(path, files[path], ast.walk(near(tree, touched[path])))
                     if _holds(row, touched[path])]
    return made


def names_of(made: Collection[Row]) -> list[str]:
    """The functions that hold mutants, by which tests may call them; none where a mutant lies outside of any."""
    near = [row for row in made if row.get("near")]
    seeded = [row for row in made if "forced" not in row]
    inside = all(any(_around(function, row) for function in near) for row in seeded)
    return sorted({str(row["function"]) for row in near}) if inside else []


def _around(function: Row, row: Row) -> bool:
    same = function["path"] == row["path"]
    return same and int(str(function["first"])) <= int(str(row["first"])) and int(str(row["last"])) <= int(
        str(function["last"]))


def _outer(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Functions and methods, without those inside them."""
    for node in body:
        if isinstance(node, ast.ClassDef):
            yield from _outer(node.body)
        else:
            yield node


def near(tree: ast.Module, lines: Collection[int]) -> ast.Module:
    """The outermost statements that hold one of the lines."""
    def holds(node: ast.stmt) -> bool:
        first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        return any(line in lines for line in range(first, (node.end_lineno or first) + 1))

    return ast.Module(body=[node for node in tree.body if holds(node)], type_ignores=[])


def _holds(row: Row, lines: Collection[int]) -> bool:
    return any(int(str(row["first"])) <= line <= int(str(row["last"])) for line in lines)


@cache
def scripts() -> Mapping[str, bytes]:
    """The runner's own files."""
    return {path.name: path.read_bytes() for path in sorted((Path(__file__).parent / "inside").glob("*.py"))}


def _stored(text: str, source: bytes) -> str:
    """The text's bytes in the file's own encoding, one letter each."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
    return text.encode("utf-8" if encoding == "utf-8-sig" else encoding).decode("latin-1")


def statements_of(tree: ast.Module) -> list[tuple[int, int]]:
    """First and last line of each statement, of a compound one without its body."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt):
            first = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
            body = getattr(node, "body", None)
            last = body[0].lineno - 1 if isinstance(body, list) and body else node.end_lineno or first
            found.append((first, max(first, last)))
        elif isinstance(node, ast.ExceptHandler | ast.match_case):
            start = node.lineno if isinstance(node, ast.ExceptHandler) else node.pattern.lineno
            found.append((start, max(start, node.body[0].lineno - 1)))
    return found


def _lines(statements: list[tuple[int, int]], mutant: Mutant) -> tuple[int, int]:
    """The smallest statement around it, or its own lines where it takes more than one."""
    around = [(last - first, first, last) for first, last in statements
              if first <= mutant.line and mutant.end_line <= last]
    return min(around)[1:] if around else (mutant.line, mutant.end_line)


def _forced(path: str, source: bytes, nodes: Iterable[ast.AST]) -> Iterator[Row]:
    lines = source.splitlines(keepends=True)
    starts = [0, *itertools.accumulate(map(len, lines))]
    for node in nodes:
        if isinstance(node, _FUNCTIONS):
            body = node.body[0]
            first, last = body.lineno, node.end_lineno or body.lineno
            indent = lines[first - 1][:body.col_offset]
            if indent.strip():
                continue  # on the line of its head
            start = starts[first - 1] + len(indent)
            yield {"id": "", "path": path, "start": start, "end": start, "first": first, "last": last, "forced": True,
                   "replacement": f"{_FORCED}\n{indent.decode('latin-1')}", "function": node.name}
