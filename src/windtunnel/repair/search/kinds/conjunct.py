"""A condition that is not all it should be: ``and`` or ``or`` something more, a filter in a comprehension."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import combinations

from windtunnel.repair.search.clauses import bounds, clauses
from windtunnel.repair.search.kinds.boolean import conditions
from windtunnel.repair.search.precedence import AND, COMPARE, LAMBDA, OR
from windtunnel.repair.search.shapes import names_in
from windtunnel.repair.search.site import Edit, Kind, Site, change
from windtunnel.repair.search.splice import Splice

_NAMES = 5


def edits(site: Site) -> Iterator[Edit]:
    """Each condition of the statement with one more part; comprehensions with a filter."""
    for node in conditions(site):
        yield from _longer(site, node)
    for one in site.nodes:
        if isinstance(one, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            yield from _filtered(site, one)
    if isinstance(site.statement, ast.Return) and isinstance(site.statement.value, ast.Compare | ast.BoolOp):
        yield from _longer(site, site.statement.value)


def _longer(site: Site, node: ast.expr) -> Iterator[Edit]:
    if isinstance(site.parent(node), ast.BoolOp):
        return
    present = site.text(node)
    if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Lt | ast.LtE):
        for low in ("0 <=", "0 <", "1 <="):
            yield change(
                site,
                node,
                f"{low} {present}",
                0.012 if low == "0 <=" else 0.005,
                why="with a lower bound too",
                level=COMPARE,
            )
    yield from _analogous(site, node)
    for text, weight in bounds(site, node):
        if text not in present:
            yield change(
                site,
                node,
                f"{text} and {site.operand(node, AND)}",
                0.02 * weight,
                why="only where it has a value",
                level=AND,
            )
    for text, weight in clauses(site, node):
        if text in present:
            continue
        for word, level, share in (("and", AND, 0.016), ("or", OR, 0.012)):
            yield change(
                site,
                node,
                f"{site.operand(node, level)} {word} {text}",
                share * weight,
                why="with one condition more",
                level=level,
            )
        yield change(
            site,
            node,
            f"{text} and {site.operand(node, AND)}",
            0.006 * weight,
            why="with one condition before",
            level=AND,
        )
        if isinstance(node, ast.Compare):
            yield change(site, node, text, 0.005 * weight, why="another condition", level=LAMBDA)


def _analogous(site: Site, node: ast.expr) -> Iterator[Edit]:
    """One of the parts once more, with two of the names exchanged."""
    parts = node.values if isinstance(node, ast.BoolOp) else [node]
    words = [("or", OR)] if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) else [("and", AND)]
    names = [name for name in names_in(node) if site.function and name in site.function.locals]
    for part in parts if len(parts) > 1 or isinstance(node, ast.Compare) else ():
        for first, second in combinations(names[:_NAMES], 2):
            text = _exchanged(site.operand(part, AND), first, second)
            for word, level in words:
                prior = 0.008 if len(parts) > 1 else 0.002
                yield change(
                    site,
                    node,
                    f"{site.operand(node, level)} {word} {text}",
                    prior,
                    why="as for the other names",
                    level=level,
                )


def _exchanged(text: str, first: str, second: str) -> str:
    other = {first: second, second: first}
    return re.sub(rf"(?<![\w.])(?:{re.escape(first)}|{re.escape(second)})\b", lambda found: other[found.group()], text)


def _filtered(site: Site, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> Iterator[Edit]:
    last = node.generators[-1]
    inner = node.elt if not isinstance(node, ast.DictComp) else node.value
    for test in last.ifs:
        start = site.module.text.span(test)[0]
        at = site.module.text.data.rfind(b" if", 0, start)
        if at > 0:
            reason = f"the filter `{site.text(test)}` goes."
            yield Edit(prior=0.012, reason=reason, splices=(Splice(at, site.module.text.span(test)[1], ""),))
    if last.ifs:
        return
    end = site.module.text.span(last.iter)[1]
    own = {name.id for name in ast.walk(last.target) if isinstance(name, ast.Name)}
    for text, weight in clauses(site, inner):
        likely = 1.0 if own & set(_words(text)) else 0.2
        reason = f"only where `{text}`."
        yield Edit(prior=0.016 * weight * likely, reason=reason, splices=(Splice(end, end, f" if {text}"),))


def _words(text: str) -> list[str]:
    return "".join(letter if letter.isalnum() or letter == "_" else " " for letter in text).split()


KIND = Kind(
    name="conjunct",
    bound=0.02,
    edits=edits,
    before="def inside(items: list, place: int):\n    if place >= 0:\n        return items[place]\n    return None\n",
    after=(
        "def inside(items: list, place: int):\n"
        "    if place >= 0 and place < len(items):\n"
        "        return items[place]\n"
        "    return None\n"
    ),
)
