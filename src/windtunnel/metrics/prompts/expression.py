"""Expressions of templates: names, constants, comparisons and a few filters; nothing of Python can be reached.

A name that is not there, and a part of something that has no such part, is empty, as in Jinja.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from windtunnel.core.errors import UsageError

MOST_OUTPUT = 1_000_000
_MOST_SOURCE = 1000
_MOST_NODES = 100
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.In: lambda part, whole: part in whole, ast.NotIn: lambda part, whole: part not in whole}
_NODES = (ast.Name, ast.Constant, ast.Attribute, ast.Compare, ast.BoolOp, ast.UnaryOp, ast.BinOp, ast.Call,
          ast.Not, ast.And, ast.Or, ast.BitOr, ast.Load, *_COMPARE)
_WORDS = {"true": True, "false": False, "none": None, "True": True, "False": False, "None": None}


class _Nothing(str):
    """What is not there; an empty text that is really there is another thing to ``default``."""

    __slots__ = ()


_NOTHING = _Nothing()


def text_of(value: object) -> str:
    """As it stands in the output; a list as its parts, with commas."""
    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, Mapping):
        return ", ".join(f"{name}: {text_of(part)}" for name, part in value.items())
    if isinstance(value, Sequence):
        return ", ".join(map(text_of, value))
    return "" if value is None else str(value)


FILTERS: Mapping[str, Callable[..., Any]] = {
    "join": lambda value, between="": text_of(between)[:100].join(map(text_of, value)),
    "length": len, "upper": lambda value: text_of(value).upper(), "lower": lambda value: text_of(value).lower(),
    "trim": lambda value: text_of(value).strip(), "first": lambda value: value[0] if value else _NOTHING,
    "last": lambda value: value[-1] if value else _NOTHING,
    "default": lambda value, other="": other if isinstance(value, _Nothing) else value,
    "round": lambda value, digits=0: round(float(value), int(digits)),
    "truncate": lambda value, most=255: text if len(text := text_of(value)) <= most else f"{text[:most - 1]}…",
    "items": lambda value: list(value.items()),
}


def parse(source: str) -> ast.expr:
    """The expression, if it is made of what is known here."""
    if len(source) > _MOST_SOURCE:
        raise UsageError(f"an expression of more than {_MOST_SOURCE} characters", field="template")
    try:
        tree = ast.parse(source.strip(), mode="eval").body
        nodes = list(ast.walk(tree))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise UsageError(f"{source.strip()[:50]!r} is no expression", field="template") from None
    odd = [type(node).__name__ for node in nodes if not _known(node)]
    if odd or len(nodes) > _MOST_NODES:
        raise UsageError(f"{source.strip()[:50]!r} has what templates may not have ({', '.join(odd[:3]) or 'length'}); "
                         f"names, constants, comparisons and {', '.join(FILTERS)} would do", field="template")
    return tree


def _known(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return not node.attr.startswith("_")
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, ast.BitOr) and _filter(node.right) in FILTERS
    if isinstance(node, ast.Call):
        return not node.keywords and (_filter(node) in FILTERS or _is_items(node))
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    return isinstance(node, _NODES) and not (
        isinstance(node, ast.Constant) and isinstance(node.value, bytes | complex))


def _is_items(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "items" and not node.args


def _filter(node: ast.expr) -> str:
    called = node.func if isinstance(node, ast.Call) else node
    return called.id if isinstance(called, ast.Name) else ""


def evaluate(node: ast.expr, names: Mapping[str, object]) -> Any:  # noqa: ANN401 -- whatever the template was given
    """What it stands for; what cannot be compared or filtered is empty."""
    try:
        return _value(node, names)
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError):
        return _NOTHING


def _value(node: ast.expr, names: Mapping[str, object]) -> Any:  # noqa: ANN401, PLR0911 -- one return for each kind
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name):
        return names.get(node.id, _WORDS.get(node.id, _NOTHING))
    if isinstance(node, ast.Attribute):
        whole = evaluate(node.value, names)
        return whole.get(node.attr, _NOTHING) if isinstance(whole, Mapping) else _NOTHING
    if isinstance(node, ast.BoolOp):
        return _either(node, names)
    if isinstance(node, ast.UnaryOp):
        return not evaluate(node.operand, names)
    if isinstance(node, ast.Compare):
        return _compared(node, names)
    if isinstance(node, ast.BinOp):
        given = [evaluate(one, names) for one in node.right.args] if isinstance(node.right, ast.Call) else []
        return FILTERS[_filter(node.right)](evaluate(node.left, names), *given)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return FILTERS["items"](evaluate(node.func.value, names))
    return _NOTHING


def _either(node: ast.BoolOp, names: Mapping[str, object]) -> object:
    """The first that decides, as Python has it."""
    value: object = _NOTHING
    for one in node.values:
        value = evaluate(one, names)
        if bool(value) == isinstance(node.op, ast.Or):
            return value
    return value


def _compared(node: ast.Compare, names: Mapping[str, object]) -> bool:
    left = evaluate(node.left, names)
    for sign, other in zip(node.ops, node.comparators, strict=True):
        right = evaluate(other, names)
        if not _COMPARE[type(sign)](left, right):
            return False
        left = right
    return True
