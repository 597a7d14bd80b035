"""What the tree of a repaired text says: statements that few people write."""

from __future__ import annotations

import ast
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

from windtunnel.repair.syntax.region import Region

_ONLY_VALUES = (
    ast.Compare,
    ast.BinOp,
    ast.Name,
    ast.Attribute,
    ast.Tuple,
    ast.Subscript,
    ast.UnaryOp,
    ast.BoolOp,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.Lambda,
)
_PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.Dict, ast.Set, ast.JoinedStr, ast.Compare, ast.BinOp)
_MOST = 3


def tree_of(region: Region, text: str) -> ast.Module | None:
    """The tree of a region with another text; None where that does not parse."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(region.before + text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def tree_features(tree: ast.Module) -> Iterator[tuple[str, float]]:
    """Names and values of a tree."""
    found = Counter(name for node in ast.walk(tree) for name in _odd(node))
    for name, count in found.items():
        yield f"tree {name}", float(min(count, _MOST))


def _odd(node: ast.AST) -> Iterator[str]:
    """What is unusual about one node."""
    look = _LOOKS.get(type(node))
    if look is not None:
        yield from look(node)


def _odd_value(node: ast.Expr) -> Iterator[str]:
    if isinstance(node.value, _ONLY_VALUES):
        yield f"useless {type(node.value).__name__}"


def _odd_test(node: ast.Assert | ast.If | ast.While) -> Iterator[str]:
    if isinstance(node.test, ast.Tuple):
        yield "true tuple"


def _odd_index(node: ast.Subscript) -> Iterator[str]:
    if isinstance(node.value, ast.Constant | ast.Compare):
        yield "plain indexed"


def _odd_comparison(node: ast.Compare) -> Iterator[str]:
    if any(isinstance(one, ast.Tuple) and not one.elts for one in node.comparators):
        yield "compared with nothing"


def _odd_annotation(node: ast.AnnAssign) -> Iterator[str]:
    if node.value is None:
        yield f"annotated {type(node.annotation).__name__}"


def _odd_attribute(node: ast.Attribute) -> Iterator[str]:
    if isinstance(node.value, ast.Constant):
        yield f"attribute of {type(node.value.value).__name__}"


def _odd_star(node: ast.Starred) -> Iterator[str]:
    if isinstance(node.value, ast.Tuple | ast.Constant):
        yield "plain starred"


def _odd_call(node: ast.Call) -> Iterator[str]:
    if isinstance(node.func, _PLAIN):
        yield "plain called"
    names = [one.arg for one in node.keywords if one.arg is not None]
    if len(set(names)) < len(names):
        yield "keyword twice"


_LOOKS: dict[type[ast.AST], Callable[[Any], Iterator[str]]] = {
    ast.Expr: _odd_value,
    ast.Call: _odd_call,
    ast.Assert: _odd_test,
    ast.If: _odd_test,
    ast.While: _odd_test,
    ast.Subscript: _odd_index,
    ast.Compare: _odd_comparison,
    ast.AnnAssign: _odd_annotation,
    ast.Attribute: _odd_attribute,
    ast.Starred: _odd_star,
}
