"""Calls of a function by itself: the wrong step, a part of the answer that is not asked for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.precedence import ADD, MULTIPLY
from windtunnel.repair.search.site import Edit, Kind, Site, change
from windtunnel.repair.search.types import CONTAINERS, is_number


def edits(site: Site) -> Iterator[Edit]:
    """Other steps for each argument; the call joined with another one."""
    if site.function is None:
        return
    for node in site.nodes:
        if isinstance(node, ast.Call) and _called(node) == site.function.node.name:
            for argument in node.args:
                yield from _stepped(site, argument)
            yield from _joined(site, node)


def _called(node: ast.Call) -> str:
    return (
        node.func.id
        if isinstance(node.func, ast.Name)
        else node.func.attr
        if isinstance(node.func, ast.Attribute)
        else ""
    )


def _stepped(site: Site, node: ast.expr) -> Iterator[Edit]:
    kinds = site.type(node)
    if isinstance(node, ast.Name) and (is_number(kinds) or not kinds):
        for text, prior in (
            ("{} - 1", 0.02),
            ("{} + 1", 0.016),
            ("{} // 2", 0.006),
            ("{} - 2", 0.003),
            ("{} // 10", 0.002),
        ):
            yield change(site, node, text.format(node.id), prior, why="a step further", level=ADD)
    if isinstance(node, ast.Name) and (kinds & CONTAINERS - {"dict", "set"} or not kinds):
        for text, prior in (("{}[1:]", 0.02), ("{}[:-1]", 0.01), ("{}[2:]", 0.002)):
            yield change(site, node, text.format(node.id), prior, why="a step further")
    if isinstance(node, ast.Name):
        for name in site.function.locals if site.function else ():
            if name not in {node.id, "self", "cls"} and (
                is_number(kinds) and is_number(site.types.get(name, frozenset()))
            ):
                yield change(site, node, f"{node.id} - {name}", 0.008, why="a step further", level=ADD)
                yield change(site, node, f"{node.id} + {name}", 0.006, why="a step further", level=ADD)
                yield change(site, node, f"{node.id} * {name}", 0.004, why="a step further", level=MULTIPLY)


def _joined(site: Site, node: ast.Call) -> Iterator[Edit]:
    """The sum with the call one step further on, or with the value at hand."""
    text = site.text(node)
    for argument in node.args:
        if not (
            isinstance(argument, ast.BinOp)
            and isinstance(argument.right, ast.Constant)
            and argument.right.value.__class__ is int
        ):
            continue
        start, end = site.module.text.span(argument)
        whole, _ = site.module.text.span(node)
        head, tail = text.encode()[: start - whole].decode(), text.encode()[end - whole :].decode()
        sign = "-" if isinstance(argument.op, ast.Sub) else "+"
        further = f"{head}{site.text(argument.left)} {sign} {argument.right.value + 1}{tail}"
        for symbol, level, prior in (("+", ADD, 0.012), ("*", MULTIPLY, 0.001)):
            yield change(site, node, f"{text} {symbol} {further}", prior, why="with the next one too", level=level)
    for name in site.of_type("int", "float") if not isinstance(site.parent(node), ast.BinOp) else ():
        for symbol, level, prior in (("+", ADD, 0.01), ("*", MULTIPLY, 0.01)):
            yield change(site, node, f"{name} {symbol} {text}", prior, why="with the value at hand", level=level)


KIND = Kind(
    name="recursion",
    bound=0.02,
    edits=edits,
    before="def total(items: list):\n    if not items:\n        return 0\n    return items[0] + total(items)\n",
    after="def total(items: list):\n    if not items:\n        return 0\n    return items[0] + total(items[1:])\n",
)
