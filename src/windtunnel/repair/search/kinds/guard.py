"""A statement that should not always run: a condition around it, or a way out before it."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.clauses import bounds, clauses
from windtunnel.repair.search.shapes import ENDS, same
from windtunnel.repair.search.site import Edit, Kind, Site, shorten
from windtunnel.repair.search.splice import Splice

_LONGEST = 6
_SHORT = 2
_RESULT = 30


def edits(site: Site) -> Iterator[Edit]:
    """The statement under a condition; the loop's turn, the loop or the function ended before it under a condition."""
    if site.function is None or site.indent is None or isinstance(site.statement, ast.FunctionDef | ast.ClassDef):
        return
    for text, weight in (
        *(bounds(site, site.statement) if isinstance(site.statement, ast.Expr | ast.Assign | ast.AugAssign) else ()),
        *clauses(site),
    ):
        yield from _guarded(site, text, weight)
        yield from _skipped(site, text, weight)
        yield from _returned(site, text, weight)


def _guarded(site: Site, condition: str, weight: float) -> Iterator[Edit]:
    start, end = site.lines()
    data = site.module.text.data[start:end]
    lines = data.decode().splitlines(keepends=True)
    if len(lines) > _LONGEST or isinstance(site.statement, ast.If | ast.Try):
        return
    initial = (
        isinstance(site.statement, ast.Assign)
        and not site.in_loop
        and len(site.function.statements if site.function else ()) > _SHORT
    )
    share = 0.012 if not initial else 0.003
    moved = "".join(f"{site.step}{line}" for line in lines)
    text = f"{site.indent}if {condition}:{site.module.text.newline}{moved}"
    reason = f"`{shorten(site.text(site.statement))}` only if `{condition}`."
    yield Edit(prior=share * weight, reason=reason, splices=(Splice(start, end, text),))


def _skipped(site: Site, condition: str, weight: float) -> Iterator[Edit]:
    if not site.in_loop or isinstance(site.statement, ast.Break | ast.Continue):
        return
    for word, share in (("continue", 0.009), ("break", 0.008)):
        splices = site.before(f"if {condition}:", f"{site.step}{word}")
        likely = 1.0 if site.index == 0 or word == "break" else 0.4
        yield Edit(
            prior=share * weight * likely,
            reason=f"before it, `{word}` if `{condition}`.",
            splices=splices,
        )
        if word == "break" and site.index == len(site.block) - 1 and not isinstance(site.statement, ENDS):
            yield Edit(
                prior=share * weight,
                reason=f"after it, `break` if `{condition}`.",
                splices=site.after(f"if {condition}:", f"{site.step}break"),
            )


def _returned(site: Site, condition: str, weight: float) -> Iterator[Edit]:
    assert site.function is not None
    first = site.block is site.function.node.body and site.index == _opening(site.block)
    for value, share in results(site):
        text = f"return {value}".rstrip()
        if isinstance(site.statement, ast.Return) and site.text(site.statement) == text:
            continue
        splices = site.before(f"if {condition}:", f"{site.step}{text}")
        prior = (0.02 if first else 0.006) * weight * share
        yield Edit(
            prior=prior, reason=f"before it, `{text}` if `{condition}`.", splices=splices
        )


def _opening(block: list[ast.stmt]) -> int:
    return int(isinstance(block[0], ast.Expr) and isinstance(block[0].value, ast.Constant))


def results(site: Site) -> list[tuple[str, float]]:
    """Values that the function may be meant to return, from the shapes that it returns already."""
    assert site.function is not None
    returned = [one.value for one in site.function.statements if isinstance(one, ast.Return)]
    found: dict[str, float] = {}
    for value in returned:
        if value is None:
            found[""] = 1.0
        elif (
            isinstance(value, ast.Constant | ast.Name | ast.List | ast.Dict | ast.UnaryOp)
            and len(site.text(value)) < _RESULT
        ):
            found[site.text(value)] = 0.8
        for text, share in _empty(site, value):
            found.setdefault(text, share)
    for name in site.function.parameters[:4]:
        found.setdefault(name, 0.25)
    if not returned:
        return [("", 1.0)]
    return list(found.items())


def _empty(site: Site, value: ast.expr | None) -> list[tuple[str, float]]:
    if value is None:
        return []
    kinds = site.type(value)
    table = {
        "list": [("[]", 0.8)],
        "dict": [("{}", 0.8)],
        "str": [("''", 0.6)],
        "bool": [("False", 0.7), ("True", 0.7)],
        "set": [("set()", 0.8)],
        "int": [("0", 0.7), ("1", 0.4), ("-1", 0.2)],
        "float": [("0", 0.5), ("0.0", 0.3), ("1", 0.2)],
        "tuple": [("()", 0.3)],
    }
    known = [pair for kind in sorted(kinds) for pair in table.get(kind, ())]
    return known or (
        [("None", 0.4), ("0", 0.4), ("[]", 0.3), ("False", 0.3), ("1", 0.3)]
        if not same(value, ast.Constant(None))
        else []
    )


KIND = Kind(
    name="guard",
    bound=0.02,
    edits=edits,
    before="def mean(items: list):\n    return sum(items) / len(items)\n",
    after="def mean(items: list):\n    if not items:\n        return 0\n    return sum(items) / len(items)\n",
)
