"""Off by one: in an index, a slice, a range, a bound, a returned count, a recursive argument."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.precedence import ADD, binding
from windtunnel.repair.search.site import Edit, Kind, Site, change
from windtunnel.repair.search.types import CONTAINERS, is_number


def edits(site: Site) -> Iterator[Edit]:  # noqa: C901 -- one for each sort of expression
    """One more and one less wherever a number counts something, and without a one that is there."""
    for node in site.nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Sub) and _is_one(node.right):
            yield change(site, node, site.text(node.left), 0.03, why="without the one", level=binding(node.left))
            word = "-" if isinstance(node.op, ast.Add) else "+"
            yield change(site, node, f"{site.operand(node.left, ADD)} {word} 1", 0.01, level=ADD)
        elif isinstance(node, ast.Subscript):
            yield from _subscript(site, node)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            yield from _range(site, node)
        elif isinstance(node, ast.Compare):
            for side in (node.left, *node.comparators):
                yield from _moved(site, side, 0.008)
        elif isinstance(node, ast.Call):
            for one in node.args:
                yield from _moved(site, one, 0.007)
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult | ast.Mod | ast.FloorDiv | ast.Div | ast.Pow):
            yield from _moved(site, node.left, 0.004)
            yield from _moved(site, node.right, 0.004)
    if isinstance(site.statement, ast.Return | ast.Assign) and site.statement.value is not None:
        yield from _values(site, site.statement.value)


def _values(site: Site, value: ast.expr) -> Iterator[Edit]:
    for one in value.elts if isinstance(value, ast.Tuple | ast.List) else (value,):
        yield from _moved(site, one, 0.012)


def _is_one(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == 1


def _subscript(site: Site, node: ast.Subscript) -> Iterator[Edit]:
    parts = (node.slice.lower, node.slice.upper) if isinstance(node.slice, ast.Slice) else (node.slice,)
    for part in parts:
        if part is not None:
            yield from _moved(site, part, 0.018)
    if isinstance(node.slice, ast.Slice):
        yield from _slice(site, node, node.slice)


def _slice(site: Site, node: ast.Subscript, inner: ast.Slice) -> Iterator[Edit]:
    """A bound left out, and bounds that were left out."""
    lower, upper, step = (site.text(one) if one else "" for one in (inner.lower, inner.upper, inner.step))
    base, tail = site.text(node.value), f":{step}" if step else ""
    others = [
        ("", upper, tail, 0.012),
        (lower, "", tail, 0.012),
        ("1", upper, tail, 0.01),
        (lower, "-1", tail, 0.01),
        (upper, lower, tail, 0.012),
        (lower, upper, "", 0.012),
        (lower, upper, ":-1", 0.008),
    ]
    for low, high, last, prior in others:
        if (low, high, last) != (lower, upper, tail):
            yield change(site, node, f"{base}[{low}:{high}{last}]", prior)


def _range(site: Site, node: ast.Call) -> Iterator[Edit]:
    if node.keywords or not node.args:
        return
    texts = [site.text(one) for one in node.args]
    for position, one in enumerate(node.args):
        yield from _moved(site, one, 0.03 if position == min(len(node.args) - 1, 1) else 0.018)
    if len(texts) == 1:
        for start in ("1", "2"):
            yield change(site, node, f"range({start}, {texts[0]})", 0.022 if start == "1" else 0.004)
        yield change(site, node, f"range(1, {site.operand(node.args[0], ADD)} + 1)", 0.02)
        yield change(site, node, f"range({site.operand(node.args[0], ADD)} - 1, -1, -1)", 0.006)
    elif len(texts) == 2:  # noqa: PLR2004 -- start and stop
        yield change(site, node, f"range({texts[1]})", 0.01)
        yield change(site, node, f"range({texts[0]}, {texts[1]}, 2)", 0.002)
        yield change(site, node, f"range({texts[0]}, {texts[1]}, -1)", 0.01)
    else:
        yield change(site, node, f"range({texts[0]}, {texts[1]})", 0.008)


def _moved(site: Site, node: ast.expr, prior: float) -> Iterator[Edit]:
    """One more, one less; constants have their own sort of edit."""
    if isinstance(
        node, ast.Constant | ast.UnaryOp | ast.Slice | ast.Starred | ast.GeneratorExp | ast.Compare | ast.Lambda
    ):
        return
    if isinstance(node, ast.BinOp) and _is_one(node.right):
        return
    kinds = site.type(node)
    if kinds & CONTAINERS or kinds & {"bool", "NoneType", "generator", "range"}:
        return
    likely = 1.0 if is_number(kinds) else 0.4
    for word, share in (("-", 1.0), ("+", 1.0)):
        yield change(site, node, f"{site.operand(node, ADD)} {word} 1", prior * likely * share, level=ADD)


KIND = Kind(
    name="off-by-one",
    bound=0.03,
    edits=edits,
    before="def total(items):\n    return sum(items[i] for i in range(len(items) - 1))\n",
    after="def total(items):\n    return sum(items[i] for i in range(len(items)))\n",
)
