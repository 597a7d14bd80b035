"""Statements in the wrong place: one too many, before or after its neighbour, inside or outside the block above."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.shapes import ENDS, LOOPS
from windtunnel.repair.search.site import Edit, Kind, Site, shorten
from windtunnel.repair.search.splice import Splice


def edits(site: Site) -> Iterator[Edit]:
    """The statement moved, indented, dedented; last of all, deleted."""
    if site.function is None or site.indent is None or isinstance(site.statement, ast.FunctionDef | ast.ClassDef):
        return
    yield from _exchanged(site)
    yield from _dedented(site)
    yield from _indented(site)
    yield from _deleted(site)


def _at(site: Site, index: int) -> Site:
    return Site(site.module, site.function, site.block[index], site.block, index, site.suspicion)


def _exchanged(site: Site) -> Iterator[Edit]:
    """Change places with the next statement."""
    if site.index + 1 >= len(site.block) or isinstance(site.statement, ENDS):
        return
    other = _at(site, site.index + 1)
    (start, end), (low, high) = site.lines(), other.lines()
    data = site.module.text.data
    if other.indent is None or low < end or not data[low:high].endswith((b"\n", b"\r")):
        return
    free = not isinstance(other.statement, ENDS)
    reason = f"`{shorten(site.text(site.statement))}` comes after the statement below it."
    text = data[low:high].decode() + data[end:low].decode() + data[start:end].decode()
    yield Edit(prior=0.015 if free else 0.001, reason=reason, splices=(Splice(start, high, text),))


def _dedented(site: Site) -> Iterator[Edit]:
    """The last statement of a block comes after the block."""
    parent = site.parent(site.statement)
    if (
        site.index != len(site.block) - 1
        or site.index == 0
        or not isinstance(parent, (ast.If, ast.With, ast.Try, *LOOPS))
    ):
        return
    if parent is site.statement or (isinstance(parent, ast.If) and parent.orelse and site.block is parent.body):
        return
    outer = site.module.text.indent(parent)
    assert site.indent is not None
    if outer.strip() or not site.indent.startswith(outer):
        return
    reason = (
        f"`{shorten(site.text(site.statement))}` comes after the block, not inside it."
    )
    prior = 0.05 if isinstance(site.statement, ast.Return) else 0.022
    yield Edit(prior=prior, reason=reason, splices=(_shifted(site, site.indent, outer),))


def _indented(site: Site) -> Iterator[Edit]:
    """The statement after a block belongs into it."""
    if site.index == 0 or isinstance(site.statement, ast.FunctionDef):
        return
    above = site.block[site.index - 1]
    bodies = [getattr(above, name, None) for name in ("body", "orelse")]
    inner = next((body for body in reversed(bodies) if body), None)
    if inner is None or isinstance(above, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return
    indent = site.module.text.indent(inner[-1])
    assert site.indent is not None
    if indent.strip() or len(indent) <= len(site.indent):
        return
    reason = f"`{shorten(site.text(site.statement))}` belongs into the block above."
    prior = 0.004 if isinstance(site.statement, ast.Return) else 0.022
    yield Edit(prior=prior, reason=reason, splices=(_shifted(site, site.indent, indent),))


def _shifted(site: Site, old: str, new: str) -> Splice:
    start, end = site.lines()
    lines = site.module.text.data[start:end].decode().splitlines(keepends=True)
    return Splice(start, end, "".join(new + line[len(old) :] if line.startswith(old) else line for line in lines))


def _deleted(site: Site) -> Iterator[Edit]:
    """Without the statement; in the place of a block's only one there is ``pass``."""
    if isinstance(site.statement, ast.Pass):
        return
    start, end = site.lines()
    text = f"{site.indent}pass{site.module.text.newline}" if len(site.block) == 1 else ""
    large = isinstance(site.statement, ast.If | ast.For | ast.While | ast.With | ast.Try | ast.Return)
    reason = f"`{shorten(site.text(site.statement))}` goes."
    yield Edit(prior=0.004 if large or text else 0.012, reason=reason, splices=(Splice(start, end, text),))


KIND = Kind(
    name="movement",
    bound=0.05,
    edits=edits,
    whole=True,
    before="def total(items):\n    found = 0\n    for one in items:\n        found += one\n        return found\n",
    after="def total(items):\n    found = 0\n    for one in items:\n        found += one\n    return found\n",
)
