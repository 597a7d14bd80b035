"""Comparisons: the wrong operator, the wrong side of the boundary."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.precedence import COMPARE, COMPARISONS
from windtunnel.repair.search.site import Edit, Kind, Site, change

_BETTER: dict[str, tuple[tuple[str, float], ...]] = {
    "<": (("<=", 0.07), (">", 0.045), (">=", 0.02), ("!=", 0.006), ("==", 0.006)),
    "<=": (("<", 0.07), (">=", 0.035), (">", 0.025), ("==", 0.008), ("!=", 0.003)),
    ">": ((">=", 0.07), ("<", 0.045), ("<=", 0.02), ("!=", 0.008), ("==", 0.006)),
    ">=": ((">", 0.07), ("<=", 0.035), ("<", 0.025), ("==", 0.008), ("!=", 0.003)),
    "==": (("!=", 0.05), ("<=", 0.018), (">=", 0.018), ("<", 0.012), (">", 0.012), ("in", 0.006)),
    "!=": (("==", 0.05), ("<", 0.014), (">", 0.014), ("<=", 0.006), (">=", 0.006), ("not in", 0.004)),
    "in": (("not in", 0.05), ("==", 0.006)),
    "not in": (("in", 0.05), ("!=", 0.004)),
    "is": (("is not", 0.06), ("==", 0.02)),
    "is not": (("is", 0.06), ("!=", 0.02)),
}


def edits(site: Site) -> Iterator[Edit]:
    """Each operator of each comparison by its relatives."""
    for node in site.nodes:
        if isinstance(node, ast.Compare):
            for position, operator in enumerate(node.ops):
                yield from _others(site, node, position, COMPARISONS[type(operator)])


def _others(site: Site, node: ast.Compare, position: int, symbol: str) -> Iterator[Edit]:
    right = node.comparators[position]
    if isinstance(right, ast.Constant) and right.value is None:
        better: tuple[tuple[str, float], ...] = tuple(
            one for one in _BETTER[symbol] if one[0] in {"is", "is not", "==", "!="}
        )
    else:
        better = _BETTER[symbol]
    words = site.type(right) == {"str"} or site.type(node.left) == {"str"}
    for other, prior in better:
        unlikely = words and other in {"<", "<=", ">", ">="}
        yield change(site, node, _written(site, node, position, other), prior * (0.2 if unlikely else 1), level=COMPARE)


def _written(site: Site, node: ast.Compare, position: int, other: str) -> str:
    parts = [site.operand(node.left, COMPARE + 1)]
    for index, (operator, right) in enumerate(zip(node.ops, node.comparators, strict=True)):
        parts += [other if index == position else COMPARISONS[type(operator)], site.operand(right, COMPARE + 1)]
    return " ".join(parts)


KIND = Kind(
    name="comparison",
    bound=0.07,
    edits=edits,
    before="def last(items, limit):\n    return [one for one in items if one < limit]\n",
    after="def last(items, limit):\n    return [one for one in items if one <= limit]\n",
)
