"""Mutants as the runner inside a sandbox gets them: with the lines whose tests can notice each."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path

from windtunnel.core.mutation import Mutant

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_FORCED = "raise AssertionError('forced by windtunnel')"
Row = dict[str, object]


def rows(mutants: Collection[Mutant], files: Mapping[str, bytes]) -> list[Row]:
    """A row for each, in their order; then one for each function, that makes it fail at once."""
    statements = {path: statements_of(ast.parse(files[path])) for path in {mutant.path for mutant in mutants}}
    made: list[Row] = []
    for mutant in mutants:
        first, last = _lines(statements[mutant.path], mutant)
        made.append({"id": mutant.id, "path": mutant.path, "start": mutant.start, "end": mutant.end, "first": first,
                     "last": last, "replacement": _stored(mutant.replacement, files[mutant.path]),
                     "function": mutant.function})
    for path in statements:
        made += _forced(path, files[path])
    return made


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


def _forced(path: str, source: bytes) -> Iterator[Row]:
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, _FUNCTIONS):
            body = node.body[0]
            first, last = body.lineno, node.end_lineno or body.lineno
            indent = lines[first - 1][:body.col_offset]
            if indent.strip():
                continue  # on the line of its head
            start = sum(map(len, lines[:first - 1])) + len(indent)
            yield {"id": "", "path": path, "start": start, "end": start, "first": first, "last": last, "forced": True,
                   "replacement": f"{_FORCED}\n{indent.decode('latin-1')}", "function": node.name}
