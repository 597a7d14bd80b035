"""The wrong expression, where the right one stands elsewhere in the same function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.oddities import alike
from windtunnel.repair.search.precedence import ADD, binding
from windtunnel.repair.search.shapes import names_in, own_nodes
from windtunnel.repair.search.site import Edit, Kind, Site, change
from windtunnel.repair.search.types import is_number, likeness

_POOL = 40
_LONGEST = 40


def edits(site: Site) -> Iterator[Edit]:
    """Each value of the statement by an expression of the function that fits there; sums with one more of them."""
    if site.function is None:
        return
    pool = _pool(site)
    for node in site.nodes:
        if _is_value(site, node):
            yield from _replaced(site, node, pool)
            yield from _added(site, node, pool)
            yield from _bounded(site, node, pool)


def _pool(site: Site) -> list[ast.expr]:
    """Expressions of more than one word, each once, in the order of the text."""
    assert site.function is not None
    found: dict[str, ast.expr] = {}
    for node in own_nodes(site.function.node):
        if isinstance(node, ast.Subscript | ast.Call | ast.BinOp | ast.Attribute) and not isinstance(
            getattr(node, "ctx", None), ast.Store
        ):
            text = site.text(node)
            if (
                len(text) <= _LONGEST
                and not site.module.is_called(node)
                and not isinstance(site.parent(node), ast.Expr)
            ):
                found.setdefault(text, node)
    visible = site.visible()
    inner = {
        name.id
        for one in own_nodes(site.function.node)
        if isinstance(one, ast.comprehension)
        for name in ast.walk(one.target)
        if isinstance(name, ast.Name)
    }
    usable = [
        node
        for node in found.values()
        if all(visible.get(name, 1.0) == 1.0 and name not in inner for name in names_in(node))
    ]
    return sorted(usable, key=lambda node: abs(node.lineno - site.statement.lineno))[:_POOL]


def _is_value(site: Site, node: ast.expr) -> bool:
    if not isinstance(node, ast.Subscript | ast.Call | ast.BinOp | ast.Attribute | ast.Name) or isinstance(
        getattr(node, "ctx", None), ast.Store | ast.Del
    ):
        return False
    parent = site.parent(node)
    return not site.module.is_called(node) and not isinstance(parent, ast.Expr | ast.Attribute | ast.Starred)


def _replaced(site: Site, node: ast.expr, pool: list[ast.expr]) -> Iterator[Edit]:
    kinds = site.type(node)
    for other in pool:
        if alike(node, other) or _holds(other, node) or _holds(node, other):
            continue
        close = 1.0 if type(other) is type(node) else 0.45 if isinstance(node, ast.Name) else 0.2
        if isinstance(other, ast.Call) and isinstance(node, ast.Call) and alike(other.func, node.func):
            close = 1.3
        prior = 0.05 * close * likeness(kinds, site.type(other)) / (3 + len(pool))
        yield change(site, node, site.text(other), prior, why="as elsewhere in the function", level=binding(other))


def _holds(whole: ast.expr, part: ast.expr) -> bool:
    return any(one is part for one in ast.walk(whole))


def _added(site: Site, node: ast.expr, pool: list[ast.expr]) -> Iterator[Edit]:
    """A value with another one of the function added to it or taken from it."""
    if isinstance(site.parent(node), ast.BinOp | ast.Subscript | ast.Call) or isinstance(node, ast.Name):
        return
    kinds = site.type(node)
    if kinds & {"bool", "dict"}:
        return
    for other in pool:
        if not isinstance(other, ast.BinOp) and not alike(node, other):
            fit = likeness(kinds, site.type(other)) / (3 + len(pool))
            yield change(
                site,
                node,
                f"{site.operand(node, ADD)} + {site.text(other)}",
                0.03 * fit,
                why="with a part more",
                level=ADD,
            )
            if is_number(kinds) or not kinds:
                yield change(
                    site,
                    node,
                    f"{site.operand(node, ADD)} - {site.text(other)}",
                    0.015 * fit,
                    why="with a part more",
                    level=ADD,
                )


def _bounded(site: Site, node: ast.expr, pool: list[ast.expr]) -> Iterator[Edit]:
    """The larger or the smaller of a value and another one of the function."""
    if not isinstance(site.parent(node), ast.Tuple | ast.List | ast.Return | ast.Assign | ast.Call) or not (
        is_number(site.type(node)) or not site.type(node)
    ):
        return
    names: list[tuple[str, frozenset[str]]] = [
        (name, site.types.get(name, frozenset())) for name, chance in site.visible().items() if chance == 1.0
    ]
    for text, kinds in (*names, *((site.text(other), site.type(other)) for other in pool)):
        fit = likeness(site.type(node), kinds) / (3 + len(pool) + len(names))
        if text not in {site.text(node), "self", "cls"} and kinds <= {"int", "float"}:
            yield change(site, node, f"max({text}, {site.text(node)})", 0.05 * fit, why="the larger of both")
            yield change(site, node, f"min({text}, {site.text(node)})", 0.05 * fit, why="the smaller of both")


KIND = Kind(
    name="borrowed",
    bound=0.03,
    edits=edits,
    before=(
        "def total(items: list, place: int):\n"
        "    if items[place + 1] > 0:\n"
        "        return items[place]\n"
        "    return 0\n"
    ),
    after=(
        "def total(items: list, place: int):\n"
        "    if items[place + 1] > 0:\n"
        "        return items[place + 1]\n"
        "    return 0\n"
    ),
)
