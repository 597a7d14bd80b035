"""What comes back: another local, nothing where something is meant, a value never returned, yield for yield from."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.clauses import clauses
from windtunnel.repair.search.kinds.guard import results
from windtunnel.repair.search.shapes import ENDS
from windtunnel.repair.search.site import Edit, Kind, Site, change, shorten
from windtunnel.repair.search.splice import Splice


def edits(site: Site) -> Iterator[Edit]:
    """Other results, results where there were none, other ways to give them."""
    if site.function is None:
        return
    if isinstance(site.statement, ast.Return) and site.statement.value is not None:
        yield from _others(site, site.statement.value)
    if isinstance(site.statement, ast.Expr):
        yield from _unreturned(site, site.statement)
    yield from _ended(site)
    for node in site.nodes:
        if isinstance(node, ast.Yield | ast.YieldFrom) and node.value is not None:
            old, new = ("yield from", "yield") if isinstance(node, ast.YieldFrom) else ("yield", "yield from")
            text = site.text(node)
            if text.startswith(old):
                yield change(
                    site, node, new + text[len(old) :], 0.04, why="each of its items instead of itself", level=0
                )


def _others(site: Site, value: ast.expr) -> Iterator[Edit]:
    for text, share in results(site):
        if text and text != site.text(value):
            yield change(site, value, text, 0.012 * share, why="another result")
    if isinstance(value, ast.Constant) and isinstance(value.value, bool):
        for text, weight in clauses(site, value):
            yield change(site, value, text, 0.014 * weight, why="as it is asked", level=0)
    if isinstance(value, ast.Name):
        for name, chance in site.visible(value).items():
            if name != value.id:
                yield change(site, value, f"{value.id}, {name}", 0.001 * chance, level=0)


def _unreturned(site: Site, statement: ast.Expr) -> Iterator[Edit]:
    """A call whose value is lost."""
    start = site.module.text.span(statement)[0]
    if isinstance(statement.value, ast.Call):
        reason = f"the value of `{shorten(site.text(statement))}` is returned."
        own = (
            isinstance(statement.value.func, ast.Name)
            and site.function is not None
            and statement.value.func.id == site.function.node.name
        )
        yield Edit(prior=0.04 if own else 0.006, reason=reason, splices=(Splice(start, start, "return "),))
        if own:
            yield Edit(prior=0.01, reason=reason, splices=(Splice(start, start, "yield from "),))
        callee = statement.value.func
        name = site.text(callee.value) if isinstance(callee, ast.Attribute) else ""
        if site.function and name in site.function.locals:
            reason = f"its value is kept in `{name}`."
            yield Edit(prior=0.012, reason=reason, splices=(Splice(start, start, f"{name} = "),))


def _ended(site: Site) -> Iterator[Edit]:
    """A function, or a branch of it, that ends without a result."""
    if isinstance(site.statement, ENDS) or site.index != len(site.block) - 1 or site.function is None:
        return
    whole = site.block is site.function.node.body
    if any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(site.function.node)):
        return
    found = dict(results(site))
    for name, chance in site.visible().items():
        if chance == 1.0:
            found.setdefault(name, 0.6 if name not in site.function.parameters else 0.2)
    for text, share in found.items():
        prior = 0.02 * share if whole else 0.005 * share
        if text:
            yield Edit(
                prior=prior,
                reason=f"after it, `return {text}`.",
                splices=site.after(f"return {text}"),
            )


KIND = Kind(
    name="result",
    bound=0.04,
    edits=edits,
    before="def count(items):\n    if not items:\n        return 0\n    count(items[1:])\n",
    after="def count(items):\n    if not items:\n        return 0\n    return count(items[1:])\n",
)
