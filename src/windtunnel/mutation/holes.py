"""Trees with holes: whether a node fits one, and what it looks like filled.

``$name`` stands for one expression, the same one wherever the name comes again; ``$*name`` in a call for any number of
arguments. Whitespace, brackets, quotes and comments do not count.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache

import libcst as cst

from windtunnel.core.errors import UsageError
from windtunnel.mutation.encoding import quiet
from windtunnel.mutation.source import bound_nesting
from windtunnel.mutation.trees import bracketed, same

MOST_LETTERS = 500
_HOLE, _REST = "__windtunnel_hole_", "__windtunnel_rest_"
_WRITTEN = re.compile(r"\$(\*?)([A-Za-z][A-Za-z0-9_]{0,30})")
_NOT_COMPARED = frozenset({
    "lpar", "rpar", "comma", "semicolon", "leading_lines", "trailing_whitespace", "indent", "header", "footer", "equal",
})
Bound = dict[str, "cst.CSTNode | tuple[cst.Arg, ...]"]


def read_tree(text: str) -> cst.BaseExpression | cst.BaseSmallStatement:
    """The expression or simple statement that a text with holes is; a ``UsageError`` says what is wrong with it."""
    if not 0 < len(text) <= MOST_LETTERS:
        raise UsageError(f"not a text of 1 to {MOST_LETTERS} letters")
    plain = _WRITTEN.sub(lambda match: f"*{_REST}{match[2]}" if match[1] else f"{_HOLE}{match[2]}", text.strip())
    try:
        with quiet():
            ast.parse(plain)
        bound_nesting(plain, path="pattern")
        statement = cst.parse_statement(plain)
    except (SyntaxError, ValueError, RecursionError, MemoryError, cst.ParserSyntaxError) as error:
        raise UsageError(f"not one expression or simple statement of Python: {text[:60]!a}") from error
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        raise UsageError(f"not one expression or simple statement of Python: {text[:60]!a}")
    found = statement.body[0]
    return found.value if isinstance(found, cst.Expr) else found


def hole_of(node: object) -> str:
    """The name of the hole that a node is; empty for any other."""
    return node.value.removeprefix(_HOLE) if isinstance(node, cst.Name) and node.value.startswith(_HOLE) else ""


def _rest_of(node: object) -> str:
    if isinstance(node, cst.Arg) and node.star == "*" and isinstance(node.value, cst.Name):
        return node.value.value.removeprefix(_REST) if node.value.value.startswith(_REST) else ""
    return ""


def holes(text: str) -> set[str]:
    """The names of all holes of a text, with the star of those that take many."""
    return {match[0][1:] for match in _WRITTEN.finditer(text)}


def fits(tree: object, node: object, bound: Bound) -> bool:
    """Whether a node is what a tree with holes asks for; what the holes took is put into ``bound``."""
    name = hole_of(tree)
    if name and isinstance(node, cst.BaseExpression):
        before = bound.setdefault(name, node)
        return before is node or (isinstance(before, cst.CSTNode) and same(before, node))
    if isinstance(tree, cst.SimpleString) and isinstance(node, cst.SimpleString):
        return tree.evaluated_value == node.evaluated_value
    if isinstance(tree, cst.CSTNode) and type(tree) is type(node):
        return all(fits(getattr(tree, part), getattr(node, part), bound) for part in _compared(type(tree)))
    if isinstance(tree, list | tuple) and isinstance(node, list | tuple):
        return _all_fit(tree, node, bound)
    return tree == node if isinstance(tree, str) else type(tree) is type(node) and not isinstance(tree, cst.CSTNode)


def _all_fit(trees: Sequence[object], nodes: Sequence[object], bound: Bound) -> bool:
    for at, tree in enumerate(trees):
        name = _rest_of(tree)
        if name:
            after = len(trees) - at - 1
            taken = tuple(node for node in nodes[at:len(nodes) - after] if isinstance(node, cst.Arg))
            if len(nodes) < at + after or bound.setdefault(f"*{name}", taken) != taken:
                return False
            pairs = zip(trees[at + 1:], nodes[len(nodes) - after:], strict=True)
            return all(fits(one, other, bound) for one, other in pairs)
        if at >= len(nodes) or not fits(tree, nodes[at], bound):
            return False
    return len(trees) == len(nodes)


@cache
def _compared(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    names = (item.name for item in fields(kind))
    return tuple(name for name in names if name not in _NOT_COMPARED and not name.startswith(("whitespace", "_")))


class _Fill(cst.CSTTransformer):
    def __init__(self, bound: Mapping[str, cst.CSTNode | tuple[cst.Arg, ...]]) -> None:
        super().__init__()
        self._bound = bound

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:  # noqa: N802 -- libcst's
        found = self._bound.get(hole_of(original_node))
        return bracketed(found) if isinstance(found, cst.BaseExpression) else updated_node

    def leave_Call(self, original_node: cst.Call, updated_node: cst.Call) -> cst.Call:  # noqa: ARG002, N802 -- libcst's
        args: list[cst.Arg] = []
        for argument in updated_node.args:
            name = _rest_of(argument)
            taken = self._bound.get(f"*{name}", ()) if name else (argument,)
            args.extend(taken if isinstance(taken, tuple) else ())
        # Commas are written anew, because those that came along stood elsewhere.
        args = [argument.with_changes(comma=cst.MaybeSentinel.DEFAULT) for argument in args]
        return updated_node.with_changes(args=args)


def filled(tree: cst.BaseExpression | cst.BaseSmallStatement, bound: Bound) -> cst.CSTNode:
    """The tree with its holes filled."""
    made = tree.visit(_Fill(bound))
    assert isinstance(made, cst.CSTNode)
    return made
