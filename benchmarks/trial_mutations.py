"""Faults of one operator or one number, in functions that tests run."""

from __future__ import annotations

import ast
import random
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Lt: ">=", ast.LtE: ">", ast.Gt: "<=", ast.GtE: "<", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not",
    ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in"}
_ARITHMETIC: dict[type[ast.operator], str] = {
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "*", ast.BitOr: "&", ast.BitAnd: "|"}


@dataclass(frozen=True, slots=True)
class Mutation:
    """One line of one file, otherwise than it was."""

    path: str
    line: int
    old: str
    new: str
    data: bytes = field(repr=False, compare=False)
    """The whole file as it becomes."""

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.old} -> {self.new}"


def mutations(project: Path, product: str, *, reached: Collection[str], seed: str) -> Iterator[Mutation]:
    """Those of functions that are reached, named as ``path:first line``; the same order for the same seed."""
    files = {path.relative_to(project).as_posix(): path for path in sorted((project / product).rglob("*.py"))}
    places = [(name, node) for name, path in files.items() if "test" not in path.name
              for node in _nodes(name, path.read_bytes(), reached)]
    random.Random(seed).shuffle(places)
    for name, node in places:
        mutation = _mutated(name, files[name].read_bytes(), node)
        if mutation is not None:
            yield mutation


def _nodes(name: str, data: bytes, reached: Collection[str]) -> Iterator[ast.expr]:
    for function in _functions(ast.parse(data)):
        first = min([function.lineno, *(decorator.lineno for decorator in function.decorator_list)])
        if f"{name}:{first}" in reached:
            yield from _body(function)


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def _body(function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[ast.expr]:
    """What can be written otherwise in the body of a function itself."""
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            continue  # has its own turn, or belongs to no function
        todo += ast.iter_child_nodes(node)
        if isinstance(node, ast.expr) and node.lineno == node.end_lineno and _otherwise(node) is not None:
            yield node


def _otherwise(node: ast.AST) -> str | None:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        sign = _COMPARISONS.get(type(node.ops[0]))
        return sign and f"({ast.unparse(node.left)} {sign} {ast.unparse(node.comparators[0])})"
    if isinstance(node, ast.BinOp):
        sign = _ARITHMETIC.get(type(node.op))
        return sign and f"({ast.unparse(node.left)} {sign} {ast.unparse(node.right)})"
    if isinstance(node, ast.Constant) and type(node.value) is int:
        return str(node.value + 1)
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        return str(not node.value)
    return None


def _mutated(name: str, data: bytes, node: ast.expr) -> Mutation | None:
    """The file with this one place changed; None inside a formatted string, whose parts have no places of their own."""
    lines = data.splitlines(keepends=True)
    at, line, new = node.lineno - 1, lines[node.lineno - 1], _otherwise(node) or ""
    old = line[node.col_offset : node.end_col_offset].decode()
    lines[at] = line[: node.col_offset] + new.encode() + line[node.end_col_offset :]
    try:
        ast.parse(b"".join(lines))
        same = ast.dump(ast.parse(old.strip(), mode="eval").body) == ast.dump(node)
    except (SyntaxError, ValueError):
        return None
    return Mutation(name, node.lineno, old, new, b"".join(lines)) if same else None
