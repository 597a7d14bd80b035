"""A part of an expression that is missing or too much: ``+ x``, ``% m``, an element, an index, a filter."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.precedence import ADD, ATOM, MULTIPLY, SYMBOLS, binding
from windtunnel.repair.search.site import Edit, Kind, Site, change
from windtunnel.repair.search.types import UNKNOWN, is_number, likeness

_MANY = 12


def edits(site: Site) -> Iterator[Edit]:
    """Expressions with a part less, then with a part more."""
    for node in site.nodes:
        if isinstance(node, ast.BinOp):
            yield from _less(site, node)
        elif isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            yield from _turned(site, node)
            yield change(site, node, site.text(node.value), 0.008, why="without the index", level=binding(node.value))
        elif isinstance(node, ast.IfExp):
            yield change(site, node, site.text(node.body), 0.008, why="without the choice", level=binding(node.body))
            yield change(
                site, node, site.text(node.orelse), 0.008, why="without the choice", level=binding(node.orelse)
            )
        elif isinstance(node, ast.Tuple | ast.List) and isinstance(node.ctx, ast.Load) and len(node.elts) > 1:
            yield from _shorter(site, node)
        if _is_whole(site, node):
            yield from _more(site, node)


def _turned(site: Site, node: ast.Subscript) -> Iterator[Edit]:
    """A slice with what it leaves out."""
    part = node.slice
    if not isinstance(part, ast.Slice) or part.step or (part.lower is None) == (part.upper is None):
        return
    held, at = site.text(node.value), site.text(part.lower or part.upper or node)
    both = f"{held}[{at}:] + {held}[:{at}]" if part.lower else f"{held}[:{at}] + {held}[{at}:]"
    yield change(site, node, both, 0.004, why="with the rest of it", level=ADD)


def _less(site: Site, node: ast.BinOp) -> Iterator[Edit]:
    if isinstance(node.right, ast.Constant) and node.right.value == 1 and isinstance(node.op, ast.Add | ast.Sub):
        return
    yield change(site, node, site.text(node.left), 0.014, why="without a part", level=binding(node.left))
    yield change(site, node, site.text(node.right), 0.009, why="without a part", level=binding(node.right))


def _shorter(site: Site, node: ast.Tuple | ast.List) -> Iterator[Edit]:
    for position in range(len(node.elts)):
        left = [site.text(one) for index, one in enumerate(node.elts) if index != position]
        text = f"[{', '.join(left)}]" if isinstance(node, ast.List) else f"({', '.join(left)}{',' * (len(left) == 1)})"
        yield change(site, node, text, 0.003, why="an element less")


def _is_whole(site: Site, node: ast.expr) -> bool:
    """Whether an operand could be missing at its end: whole values, indexes, arguments, sides of comparisons."""
    parent = site.parent(node)
    if isinstance(
        node,
        ast.Constant
        | ast.Slice
        | ast.Starred
        | ast.Compare
        | ast.BoolOp
        | ast.GeneratorExp
        | ast.Lambda
        | ast.JoinedStr
        | ast.Tuple
        | ast.Dict,
    ):
        return False
    if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
        return False
    return (
        isinstance(
            parent,
            ast.Return
            | ast.Assign
            | ast.AugAssign
            | ast.Compare
            | ast.Call
            | ast.Subscript
            | ast.Slice
            | ast.BinOp
            | ast.Tuple
            | ast.List
            | ast.ListComp
            | ast.IfExp
            | ast.comprehension
            | ast.GeneratorExp,
        )
        and not site.module.is_called(node)
        and not (isinstance(parent, ast.Subscript) and node is parent.value)
    )


def _more(site: Site, node: ast.expr) -> Iterator[Edit]:
    kinds = site.type(node) - {"NoneType"}
    if kinds & {"bool", "function", "dict", "range", "dict_items"}:
        return
    outer = site.parent(node)
    if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Add | ast.Sub) and outer.left is node:
        return
    used = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
    weight = 0.5 if isinstance(outer, ast.BinOp | ast.Compare) else 1.0
    if kinds and not is_number(kinds) and isinstance(outer, ast.Call | ast.Compare | ast.comprehension):
        weight = 0.15
    if isinstance(outer, ast.Return | ast.Assign | ast.AugAssign):
        weight = 1.6
    for name, chance in list(site.visible(node).items())[:_MANY]:
        fit = likeness(kinds, site.types.get(name, UNKNOWN)) * chance * (0.3 if name in used else 1.0) * weight
        idle = 2.5 if site.function and not site.function.uses.get(name) else 1.0
        if name not in {"self", "cls"}:
            yield from _joined(site, node, name, fit * idle, number=is_number(kinds) or not kinds)
    if kinds & {"list", "str"} and isinstance(outer, ast.Return | ast.Assign | ast.AugAssign | ast.BinOp):
        yield from _lengthened(site, node, min(kinds & {"list", "str"}))
    if is_number(kinds) or not kinds:
        yield from _scaled(site, node, weight)
        yield from _wound(site, node, outer)


def _joined(site: Site, node: ast.expr, name: str, fit: float, *, number: bool) -> Iterator[Edit]:
    for symbol, prior in (
        (("+", 0.009), ("-", 0.006), ("*", 0.004), ("%", 0.002), ("//", 0.001)) if number else (("+", 0.009),)
    ):
        level = SYMBOLS[symbol]
        yield change(
            site, node, f"{site.operand(node, level)} {symbol} {name}", prior * fit, why="with a part more", level=level
        )
    if not number:
        yield change(
            site, node, f"{name} + {site.operand(node, ADD + 1)}", 0.004 * fit, why="with a part more", level=ADD
        )
    elif likeness(frozenset({"list"}), site.types.get(name, UNKNOWN)) == 1:
        yield change(site, node, f"{name}[{site.text(node)}]", 0.006, why="the item there", level=ATOM)


def _scaled(site: Site, node: ast.expr, weight: float) -> Iterator[Edit]:
    for text, level, prior in (
        ("% 2", MULTIPLY, 0.001),
        ("// 2", MULTIPLY, 0.003),
        ("* 2", MULTIPLY, 0.003),
        ("% 10", MULTIPLY, 0.001),
        ("** 2", ADD + 3, 0.002),
        ("/ 2", MULTIPLY, 0.002),
    ):
        yield change(
            site,
            node,
            f"{site.operand(node, level + (text[:2] == '**'))} {text}",
            prior * weight,
            why="with a part more",
            level=level,
        )
    if isinstance(site.parent(node), ast.BinOp) and isinstance(node, ast.Name):
        yield change(site, node, f"1 - {node.id}", 0.006, why="its complement", level=ADD)
    scope = (site.function.owner or site.function.node) if site.function else site.statement
    for other, count in site.module.tails(scope).items():
        symbol, text = other
        yield change(
            site,
            node,
            f"{site.operand(node, SYMBOLS[symbol])} {symbol} {text}",
            min(0.004, 0.002 * count) * weight,
            why="as elsewhere in the function",
            level=SYMBOLS[symbol],
        )


def _lengthened(site: Site, node: ast.expr, kind: str) -> Iterator[Edit]:
    """A list or text with one more piece at either end: pieces that the function has, and single names."""
    assert site.function is not None
    found = (
        one
        for one in ast.walk(site.function.node)
        if isinstance(one, ast.List | ast.Constant) and site.type(one) == {kind}
    )
    pieces = dict.fromkeys(
        site.text(one) for one in found if getattr(one, "elts", True) and getattr(one, "value", True)
    )
    if kind == "list":
        pieces |= dict.fromkeys(f"[{name}]" for name in site.visible(node) if name not in {"self", "cls"})
    for piece in list(pieces)[:_MANY]:
        if len(piece) < 30:  # noqa: PLR2004 -- longer ones are no repeated idiom
            yield change(site, node, f"{site.operand(node, ADD)} + {piece}", 0.005, why="with a piece more", level=ADD)
            yield change(
                site, node, f"{piece} + {site.operand(node, ADD + 1)}", 0.004, why="with a piece more", level=ADD
            )


def _wound(site: Site, node: ast.expr, outer: ast.AST | None) -> Iterator[Edit]:
    """An index, or a number that becomes one, that starts again at the end."""
    held = site.text(outer.value) if isinstance(outer, ast.Subscript) else ""
    for name in dict.fromkeys([held, *site.of_type("list", "str", "tuple")]):
        if name and isinstance(outer, ast.Subscript | ast.Assign):
            prior = 0.016 if name == held and isinstance(node, ast.BinOp) else 0.003
            yield change(
                site,
                node,
                f"{site.operand(node, MULTIPLY)} % len({name})",
                prior,
                why="starting again at the end",
                level=MULTIPLY,
            )


KIND = Kind(
    name="operand",
    bound=0.04,
    edits=edits,
    before="def perimeter(width, height):\n    return 2 * width\n",
    after="def perimeter(width, height):\n    return 2 * (width + height)\n",
)
