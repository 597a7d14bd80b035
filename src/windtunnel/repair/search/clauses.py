"""Conditions that could be missing at a place: those that the function or file has already, then templates by type."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.search.precedence import COMPARE, COMPARISONS
from windtunnel.repair.search.shapes import names_in
from windtunnel.repair.search.site import Site
from windtunnel.repair.search.types import CONTAINERS, UNKNOWN, is_number

_MANY = 14
_CONSTANTS = 4
_LONGEST = 60


def clauses(site: Site, node: ast.AST | None = None) -> Iterator[tuple[str, float]]:
    """Each condition with its weight, from 0 to 1; made of names that have a value here."""
    seen: set[str] = set()
    idle = [name for name in site.visible(node) if site.idle(name)]
    for text, weight in _all(site, node):
        if text not in seen:
            seen.add(text)
            wanted = any(re.search(rf"\b{name}\b", text) for name in idle)
            yield text, min(1.0, weight * (4 if wanted else 1))


def _all(site: Site, node: ast.AST | None) -> Iterator[tuple[str, float]]:
    visible = {
        name: chance for name, chance in site.visible(node).items() if name not in {"self", "cls"} and chance == 1.0
    }
    yield from _present(site, visible)
    names = list(visible)[:_MANY]
    for name in names:
        yield from _alone(site, name)
    for first in names:
        for second in names:
            if first != second:
                yield from _both(site, first, second)


def bounds(site: Site, root: ast.AST) -> Iterator[tuple[str, float]]:
    """What must hold so that the subscripts, divisions and attributes below a node have a value."""
    for node in ast.walk(root):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Constant | ast.UnaryOp):
            held, place = site.text(node.value), site.operand(node.slice, COMPARE + 1)
            kinds, placed = site.type(node.value), site.type(node.slice)
            if is_number(placed) or not placed:
                yield from (
                    ((f"{place} < len({held})", 0.9), (f"{place} >= 0", 0.6))
                    if not kinds & {"dict", "defaultdict", "Counter"}
                    else ()
                )
            if kinds & {"dict", "defaultdict", "Counter"} or not kinds:
                yield f"{place} in {held}", 0.9
        elif isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            yield site.operand(node.value), 0.8
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod)
            and not isinstance(node.right, ast.Constant)
        ):
            yield f"{site.operand(node.right, COMPARE + 1)} != 0", 0.6
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name | ast.Attribute)
            and site.text(node.value) not in {"self", "cls"}
        ):
            yield f"{site.text(node.value)} is not None", 0.4


def _present(site: Site, visible: dict[str, float]) -> Iterator[tuple[str, float]]:
    """Conditions of the same function, with their opposites."""
    for node in ast.walk(site.function.node) if site.function else ():
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and _is_known(site, node, visible):
            yield site.text(node), 0.5
            symbol = COMPARISONS[type(node.ops[0])]
            for other in {
                "<": (">=", "<="),
                "<=": (">", "<"),
                ">": ("<=", ">="),
                ">=": ("<", ">"),
                "==": ("!=",),
                "!=": ("==",),
                "in": ("not in",),
                "not in": ("in",),
            }.get(symbol, ()):
                yield (
                    f"{site.operand(node.left, COMPARE + 1)} {other} {site.operand(node.comparators[0], COMPARE + 1)}",
                    0.3,
                )
        elif isinstance(node, ast.Call) and _is_question(node) and _is_known(site, node, visible):
            yield site.text(node), 0.4
            yield f"not {site.text(node)}", 0.3


def _is_question(node: ast.Call) -> bool:
    name = (
        node.func.attr
        if isinstance(node.func, ast.Attribute)
        else node.func.id
        if isinstance(node.func, ast.Name)
        else ""
    )
    return name.startswith(("is", "has", "can", "startswith", "endswith", "should"))


def _is_known(site: Site, node: ast.expr, visible: dict[str, float]) -> bool:
    local = set(site.function.locals) if site.function else set()
    inner = {
        name.id
        for one in ast.walk(node)
        if isinstance(one, ast.comprehension)
        for name in ast.walk(one.target)
        if isinstance(name, ast.Name)
    }
    return (
        not inner
        and len(site.text(node)) < _LONGEST
        and all(name in visible or name not in local for name in names_in(node))
    )


def _alone(site: Site, name: str) -> Iterator[tuple[str, float]]:
    kinds = site.types.get(name, UNKNOWN) - {"NoneType"}
    if is_number(kinds):
        yield from (
            (f"{name} > 0", 0.3),
            (f"{name} == 0", 0.2),
            (f"{name} >= 0", 0.2),
            (f"{name} != 0", 0.15),
            (f"{name} > 1", 0.15),
            (f"{name} < 0", 0.15),
            (f"{name} % 2 == 0", 0.06),
            (f"{name} % 2 != 0", 0.04),
            (f"{name} == 1", 0.08),
            (f"{name} <= 1", 0.1),
        )
        for text in [
            text for text in site.module.constants if text[:1] not in "'\"-" and text not in {"0", "1", "True", "False"}
        ][:_CONSTANTS]:
            yield from (
                (f"{name} < {text}", 0.06),
                (f"{name} > {text}", 0.06),
                (f"{name} <= {text}", 0.04),
                (f"{name} >= {text}", 0.04),
                (f"{name} == {text}", 0.02),
                (f"{name} != {text}", 0.02),
                (f"{name} % {text} == 0", 0.03),
            )
    elif kinds & CONTAINERS:
        yield from ((name, 0.4), (f"not {name}", 0.3), (f"len({name}) > 1", 0.15), (f"len({name}) == 1", 0.08))
        if "str" in kinds:
            yield from (
                (f"{name}.isdigit()", 0.06),
                (f"{name}.isalpha()", 0.06),
                (f"{name}.strip()", 0.05),
                (f"{name}.isupper()", 0.03),
                (f"{name}.islower()", 0.03),
                (f"{name} != ' '", 0.04),
            )
            for text in [text for text in site.module.constants if text[:1] in "'\""][:_CONSTANTS]:
                yield from ((f"{name} != {text}", 0.06), (f"{name} == {text}", 0.05))
    elif kinds & {"bool"}:
        yield from ((name, 0.4), (f"not {name}", 0.4))
    else:
        yield from (
            (name, 0.35),
            (f"not {name}", 0.25),
            (f"{name} is not None", 0.3),
            (f"{name} is None", 0.15),
            (f"{name} > 0", 0.12),
            (f"{name} == 0", 0.08),
            (f"{name} % 2 == 0", 0.05),
            (f"{name} != 0", 0.06),
            (f"{name} < 0", 0.05),
            (f"{name} > 1", 0.05),
        )


def _both(site: Site, first: str, second: str) -> Iterator[tuple[str, float]]:
    one, two = site.types.get(first, UNKNOWN) - {"NoneType"}, site.types.get(second, UNKNOWN) - {"NoneType"}
    if is_number(one) and is_number(two):
        if first < second:
            yield from ((f"{first} != {second}", 0.12), (f"{first} == {second}", 0.12))
        yield from ((f"{first} < {second}", 0.12), (f"{first} <= {second}", 0.1))
    elif two & CONTAINERS and not (one & CONTAINERS - {"str", "tuple"}):
        yield from ((f"{first} in {second}", 0.2), (f"{first} not in {second}", 0.25))
        if is_number(one) and not two & {"dict", "set", "defaultdict", "Counter"}:
            yield f"{first} < len({second})", 0.3
            yield f"{first} == len({second})", 0.1
            yield f"{first} > len({second})", 0.08
    elif not one or not two or one & two:
        if first < second:
            yield from ((f"{first} != {second}", 0.08), (f"{first} == {second}", 0.06))
        if not one and not two:
            yield from (
                (f"{first} < {second}", 0.04),
                (f"{first} not in {second}", 0.04),
                (f"{first} in {second}", 0.03),
            )
