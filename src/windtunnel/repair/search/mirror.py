"""Symmetry: neighbours that say the same of other names, as mirrored branches do."""

from __future__ import annotations

import ast

_TWINS: dict[type[ast.AST], str] = {
    ast.Add: "sum",
    ast.Sub: "sum",
    ast.Lt: "less",
    ast.Gt: "less",
    ast.LtE: "at most",
    ast.GtE: "at most",
    ast.Load: "",
    ast.Store: "",
}
_LARGEST = 40
_SMALLEST = 3


def symmetries(node: ast.AST) -> int:
    """How many operands of an expression are equal to their neighbours but for a renaming."""
    if isinstance(node, ast.BoolOp):
        return sum(map(mirrored, node.values, node.values[1:]))
    if isinstance(node, ast.BinOp) and not isinstance(node.left, ast.Name | ast.Constant):
        return int(mirrored(node.left, node.right))
    return 0


def mirrored(first: ast.AST, second: ast.AST) -> bool:
    """Whether two are equal but for a renaming, plus and minus, less and greater being one; small ones never."""
    if first.__class__ is not second.__class__ or isinstance(
        first, ast.For | ast.While | ast.FunctionDef | ast.ClassDef
    ):
        return False
    one, names_one = _shape(first)
    two, names_two = _shape(second)
    return len(one) > _SMALLEST and one == two and names_one != names_two


def _shape(root: ast.AST) -> tuple[list[object], list[str]]:
    """The tree as a list, each name by the order in which it first comes; and the names."""
    names: dict[str, int] = {}
    shape: list[object] = []
    waiting: list[object] = [root]
    while waiting and len(shape) < _LARGEST:
        one = waiting.pop()
        if isinstance(one, ast.Name):
            shape.append(names.setdefault(one.id, len(names)))
        elif isinstance(one, ast.AST):
            shape.append(_TWINS.get(one.__class__, one.__class__))
            waiting.extend(getattr(one, name, None) for name in one._fields)
        elif isinstance(one, list):
            waiting.extend(one)
        elif one is not None:
            shape.append(one)
    return shape, list(names)
