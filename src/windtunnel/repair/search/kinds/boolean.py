"""Conditions: and for or, a negation too many or too few, a part too many."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.precedence import AND, COMPARE, COMPARISONS, NOT, OR, binding
from windtunnel.repair.search.site import Edit, Kind, Site, change

_OPPOSITE = {
    "<": ">=",
    ">=": "<",
    ">": "<=",
    "<=": ">",
    "==": "!=",
    "!=": "==",
    "is": "is not",
    "is not": "is",
    "in": "not in",
    "not in": "in",
}


def edits(site: Site) -> Iterator[Edit]:
    """Other connectives, negations, fewer parts."""
    for node in site.nodes:
        if isinstance(node, ast.BoolOp):
            yield from _connected(site, node)
            yield from _dropped(site, node)
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            yield change(site, node, site.text(node.operand), 0.05, why="not negated", level=binding(node.operand))
    for node in conditions(site):
        yield from _negated(site, node)


def conditions(site: Site) -> Iterator[ast.expr]:
    """Whatever the statement decides by, parts of conditions too."""
    for node in site.nodes:
        if isinstance(node, ast.IfExp):
            yield from _parts(node.test)
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            yield from (part for one in node.generators for test in one.ifs for part in _parts(test))
    if isinstance(site.statement, ast.If | ast.While):
        yield from _parts(site.statement.test)


def _parts(test: ast.expr) -> Iterator[ast.expr]:
    yield test
    if isinstance(test, ast.BoolOp):
        yield from test.values


def _connected(site: Site, node: ast.BoolOp) -> Iterator[Edit]:
    word, level = ("and", AND) if isinstance(node.op, ast.Or) else ("or", OR)
    text = f" {word} ".join(site.operand(one, level + 1) for one in node.values)
    yield change(site, node, text, 0.06, level=level)


def _dropped(site: Site, node: ast.BoolOp) -> Iterator[Edit]:
    word, level = ("or", OR) if isinstance(node.op, ast.Or) else ("and", AND)
    for position in range(len(node.values)):
        left = [one for index, one in enumerate(node.values) if index != position]
        text = f" {word} ".join(site.operand(one, level + 1) for one in left) if len(left) > 1 else site.text(left[0])
        yield change(
            site, node, text, 0.022, why="with a part less", level=level if len(left) > 1 else binding(left[0])
        )


def _negated(site: Site, node: ast.expr) -> Iterator[Edit]:
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        symbol = COMPARISONS[type(node.ops[0])]
        if symbol in {"<", "<=", ">", ">="}:
            left, right = site.operand(node.left, COMPARE + 1), site.operand(node.comparators[0], COMPARE + 1)
            text = f"{left} {_OPPOSITE[symbol]} {right}"
            yield change(site, node, text, 0.025, why="negated", level=COMPARE)
    elif not isinstance(node, ast.Compare) and not (isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)):
        yield change(site, node, f"not {site.operand(node, NOT)}", 0.04, why="negated", level=NOT)


KIND = Kind(
    name="condition",
    bound=0.06,
    edits=edits,
    before="def allowed(user, admin):\n    if user and admin:\n        return True\n    return False\n",
    after="def allowed(user, admin):\n    if user or admin:\n        return True\n    return False\n",
)
