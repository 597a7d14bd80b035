"""Arithmetic: the wrong operator, and operators that take hold of the wrong operands."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.precedence import OPERATORS, SYMBOLS, binding
from windtunnel.repair.search.site import Edit, Kind, Site, change
from windtunnel.repair.search.splice import Splice
from windtunnel.repair.search.types import CONTAINERS

_BETTER: dict[str, tuple[tuple[str, float], ...]] = {
    "+": (("-", 0.045), ("*", 0.025), ("//", 0.003), ("%", 0.003), ("/", 0.002), ("^", 0.003), ("|", 0.002)),
    "-": (("+", 0.05), ("*", 0.006), ("//", 0.004), ("/", 0.004), ("%", 0.004), ("&", 0.003), ("^", 0.002)),
    "*": (("+", 0.02), ("**", 0.018), ("/", 0.015), ("//", 0.012), ("-", 0.006), ("%", 0.004)),
    "/": (("//", 0.05), ("*", 0.03), ("%", 0.01), ("-", 0.005)),
    "//": (("/", 0.045), ("%", 0.035), ("*", 0.015), ("-", 0.004)),
    "%": (("//", 0.04), ("/", 0.01), ("*", 0.005), ("-", 0.005)),
    "**": (("*", 0.05), ("//", 0.003), ("+", 0.005)),
    "&": (("|", 0.05), ("^", 0.03), ("-", 0.01)),
    "|": (("&", 0.05), ("^", 0.025), ("-", 0.01)),
    "^": (("&", 0.05), ("|", 0.04), ("**", 0.01)),
    "<<": ((">>", 0.07), ("*", 0.004)),
    ">>": (("<<", 0.07), ("//", 0.004)),
    "@": (("*", 0.02),),
}


def edits(site: Site) -> Iterator[Edit]:
    """Each operator by its relatives, and chains grouped the other way."""
    for node in site.nodes:
        if isinstance(node, ast.BinOp):
            yield from _others(site, node)
            yield from _grouped(site, node)
        elif (
            isinstance(node, ast.UnaryOp)
            and isinstance(node.op, ast.USub)
            and not isinstance(node.operand, ast.Constant)
        ):
            yield change(site, node, site.text(node.operand), 0.02, level=binding(node.operand))
    if isinstance(site.statement, ast.AugAssign):
        yield from _augmented(site, site.statement)


def _others(site: Site, node: ast.BinOp) -> Iterator[Edit]:
    symbol = OPERATORS[type(node.op)][0]
    kinds = site.type(node.left) | site.type(node.right)
    if symbol == "%" and site.type(node.left) == {"str"}:
        return
    for other, prior in _BETTER[symbol]:
        level = SYMBOLS[other]
        text = f"{site.operand(node.left, level + (other == '**'))} {other} {site.operand(node.right, level + 1)}"
        plain = f"{site.text(node.left)} {other} {site.text(node.right)}"
        likely = 0.15 if kinds & CONTAINERS and not kinds & {"set", "Counter"} else 1.0
        if isinstance(node.left, ast.BinOp) and text != plain and binding(node.left) < level:
            yield change(site, node, plain, prior * likely, level=min(level, binding(node.left)))
            likely *= 0.4
        yield change(site, node, text, prior * likely, level=level)


def _grouped(site: Site, node: ast.BinOp) -> Iterator[Edit]:
    symbol, level = OPERATORS[type(node.op)]
    for inner, first in ((node.right, False), (node.left, True)):
        if not isinstance(inner, ast.BinOp):
            continue
        other, deep = OPERATORS[type(inner.op)]
        if first:
            right = f"{site.operand(inner.right, level)} {symbol} {site.operand(node.right, level + 1)}"
            text = f"{site.operand(inner.left, deep)} {other} ({right})"
            yield change(site, node, text, 0.02 if deep != level else 0.012, why="grouped otherwise", level=deep)
        else:
            left = f"{site.operand(node.left, level)} {symbol} {site.operand(inner.left, level + 1)}"
            text = f"({left}) {other} {site.operand(inner.right, deep + 1)}"
            yield change(site, node, text, 0.035 if deep != level else 0.015, why="grouped otherwise", level=deep)


def _augmented(site: Site, statement: ast.AugAssign) -> Iterator[Edit]:
    symbol = OPERATORS[type(statement.op)][0]
    target, value = site.text(statement.target), site.text(statement.value)
    text = site.module.text
    low, high = text.span(statement.target)[1], text.span(statement.value)[0]
    gap = text.data[low:high].decode()
    if not gap.strip().startswith(f"{symbol}="):
        return
    for other, prior in (*_BETTER[symbol], ("", 0.02)):
        reason = f"`{target} {symbol}= {value}` becomes `{target} {other}= {value}`."
        splice = Splice(low, high, gap.replace(f"{symbol}=", f"{other}=", 1))
        yield Edit(prior=prior, reason=reason, splices=(splice,))
    yield from _assigned(site, statement, target, value)


def _assigned(site: Site, statement: ast.AugAssign, target: str, value: str) -> Iterator[Edit]:
    """Another value instead of a step; a step that starts again at the end."""
    start, end = site.module.text.span(statement)
    others = [(f"{target} = {name}", 0.01) for name in site.of_type(*site.type(statement.target)) if name != target]
    if isinstance(statement.op, ast.Add | ast.Sub):
        word, level = OPERATORS[type(statement.op)]
        whole = f"({target} {word} {site.operand(statement.value, level + 1)})"
        others += [(f"{target} = {whole} % {text}", 0.01) for text in site.module.moduli]
    for text, prior in others:
        reason = f"`{target} {OPERATORS[type(statement.op)][0]}= {value}` becomes `{text}`."
        yield Edit(prior=prior, reason=reason, splices=(Splice(start, end, text),))


KIND = Kind(
    name="arithmetic",
    bound=0.07,
    edits=edits,
    before="def middle(low, high):\n    return low + high // 2\n",
    after="def middle(low, high):\n    return (low + high) // 2\n",
)
