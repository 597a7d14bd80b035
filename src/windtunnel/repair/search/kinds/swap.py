"""Things in the wrong order: arguments, operands, targets, branches of a conditional."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import combinations

from windtunnel.repair.search.shapes import same
from windtunnel.repair.search.site import Edit, Kind, Site, shorten

_MOST = 5


def edits(site: Site) -> Iterator[Edit]:  # noqa: C901 -- one for each sort of expression
    """Each two of a kind that could have changed places."""
    for node in site.nodes:
        if isinstance(node, ast.Call):
            yield from _pairs(site, node.args, 0.035)
        elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load):
            yield from _pairs(site, node.elts, 0.025)
        elif isinstance(node, ast.Tuple):
            yield from _pairs(site, node.elts, 0.02)
        elif isinstance(node, ast.BinOp) and not isinstance(
            node.op, ast.Add | ast.Mult | ast.BitAnd | ast.BitOr | ast.BitXor
        ):
            yield from _pairs(site, (node.left, node.right), 0.025)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add) and not _is_sum(site, node):
            yield from _pairs(site, (node.left, node.right), 0.02)
        elif isinstance(node, ast.IfExp):
            yield from _pairs(site, (node.body, node.orelse), 0.03)
        elif isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.In | ast.NotIn):
            yield from _pairs(site, (node.left, node.comparators[0]), 0.015)
        elif isinstance(node, ast.Subscript) and isinstance(node.value, ast.Subscript):
            yield from _pairs(site, (node.value.slice, node.slice), 0.03)
    if isinstance(site.statement, ast.Assign) and len(site.statement.targets) == 1:
        yield from _turned(site, site.statement)


def _is_sum(site: Site, node: ast.BinOp) -> bool:
    kinds = site.type(node.left) | site.type(node.right)
    return bool(kinds) and kinds <= {"int", "float", "bool"}


def _pairs(site: Site, parts: Sequence[ast.expr], prior: float) -> Iterator[Edit]:
    plain = [one for one in parts[:_MOST] if not isinstance(one, ast.Starred | ast.Slice | ast.GeneratorExp)]
    for first, second in combinations(plain, 2):
        if same(first, second):
            continue
        reason = f"`{shorten(site.text(first))}` and `{shorten(site.text(second))}` change places."
        yield Edit(prior=prior / max(1, len(plain) - 1), reason=reason, splices=site.swap(first, second))


def _turned(site: Site, statement: ast.Assign) -> Iterator[Edit]:
    """``a = b`` for ``b = a``."""
    target, value = statement.targets[0], statement.value
    if isinstance(value, ast.Name | ast.Attribute | ast.Subscript) and isinstance(
        target, ast.Name | ast.Attribute | ast.Subscript
    ):
        reason = f"the two sides of `{shorten(site.text(statement))}` change places."
        yield Edit(prior=0.012, reason=reason, splices=site.swap(target, value))


KIND = Kind(
    name="swapped",
    bound=0.035,
    edits=edits,
    before="def share(part, whole):\n    return whole / part\n",
    after="def share(part, whole):\n    return part / whole\n",
)
