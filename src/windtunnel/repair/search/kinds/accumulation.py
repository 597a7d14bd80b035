"""Assignments that forget what was there: ``=`` for ``+=``, a maximum that only keeps the last, half of an exchange."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.precedence import ADD
from windtunnel.repair.search.site import Edit, Kind, Site, change
from windtunnel.repair.search.splice import Splice
from windtunnel.repair.search.types import is_number


def edits(site: Site) -> Iterator[Edit]:
    """The value joined with the one before; two values exchanged."""
    if not isinstance(site.statement, ast.Assign) or len(site.statement.targets) != 1 or site.function is None:
        return
    target, value = site.statement.targets[0], site.statement.value
    if not isinstance(target, ast.Name | ast.Subscript | ast.Attribute):
        return
    name, text, kinds = site.text(target), site.text(value), site.type(value)
    inside = 1.0 if site.in_loop else 0.25
    if not isinstance(value, ast.Constant | ast.Lambda | ast.GeneratorExp):
        if is_number(kinds) or not kinds:
            yield change(site, value, f"max({name}, {text})", 0.014 * inside, why="the larger of both")
            yield change(site, value, f"min({name}, {text})", 0.012 * inside, why="the smaller of both")
        yield change(
            site,
            value,
            f"{name} + {site.operand(value, ADD + 1)}",
            0.016 * inside,
            why="added to what was there",
            level=ADD,
        )
        yield change(
            site, value, f"{name} or {site.text(value)}", 0.003 * inside, why="only where nothing was there", level=0
        )
    if isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name | ast.Attribute):
        yield from _gathered(site, target, value)
    if isinstance(value, ast.Name | ast.Subscript | ast.Attribute):
        yield from _exchanged(site, target, value)


def _gathered(site: Site, target: ast.Subscript, value: ast.expr) -> Iterator[Edit]:
    """An item of a mapping that grows instead of being replaced."""
    held, key, text = site.text(target.value), site.text(target.slice), site.text(value)
    start, end = site.module.text.span(site.statement)
    grown = [(f"{held}[{key}] = {held}.get({key}, 0) + {site.operand(value, ADD + 1)}", 0.008)]
    if isinstance(value, ast.List) and len(value.elts) == 1:
        grown.append((f"{held}.setdefault({key}, []).append({site.text(value.elts[0])})", 0.014))
    elif isinstance(value, ast.Set) and len(value.elts) == 1:
        grown.append((f"{held}.setdefault({key}, set()).add({site.text(value.elts[0])})", 0.014))
    for line, prior in grown if not site.type(target.value) & {"list", "tuple"} else ():
        reason = f"`{held}[{key}] = {text}` becomes `{line}`, which keeps what was there."
        yield Edit(prior=prior, reason=reason, splices=(Splice(start, end, line),))


def _exchanged(site: Site, target: ast.expr, value: ast.expr) -> Iterator[Edit]:
    name, text = site.text(target), site.text(value)
    splices = site.replace(target, f"{name}, {text}") + site.replace(value, f"{text}, {name}")
    yield Edit(prior=0.006, reason=f"`{name}` and `{text}` are exchanged.", splices=splices)


KIND = Kind(
    name="accumulation",
    bound=0.016,
    edits=edits,
    before="def best(items: list):\n    found = 0\n    for one in items:\n        found = one\n    return found\n",
    after=(
        "def best(items: list):\n"
        "    found = 0\n"
        "    for one in items:\n"
        "        found = max(found, one)\n"
        "    return found\n"
    ),
)
