"""Two loops, one in the other, to find what belongs together."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Rule, before, replaced
from windtunnel.speedups.source import Source, changed, is_place, names_in, root


def find(source: Source) -> Iterator[Edit]:
    """``for b in many: if b.key == a.key``: those of one key from a dictionary that is made once."""
    for inner in source.nodes(ast.For):
        assert isinstance(inner, ast.For)
        outer = next((one for one in source.loops(inner) if isinstance(one, ast.For)
                      and not names_in(inner.iter) & changed(one)), None)
        if outer is None or len(inner.body) != 1 or not isinstance(inner.body[0], ast.If) or inner.orelse or (
                inner.body[0].orelse or not is_place(inner.iter)):
            continue
        keys = _keys(inner, inner.body[0].test)
        if keys is not None:
            yield _edit(source, outer, inner, keys)


def _keys(inner: ast.For, test: ast.expr) -> tuple[ast.expr, ast.expr] | None:
    """What of the inner item must equal what of the rest; the first such condition."""
    own = names_in(inner.target)
    conditions = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    first = conditions[0]
    if not isinstance(first, ast.Compare) or len(first.ops) != 1 or not isinstance(first.ops[0], ast.Eq):
        return None
    for one, other in ((first.left, first.comparators[0]), (first.comparators[0], first.left)):
        of_inner = names_in(one)
        if of_inner and of_inner <= own and not names_in(other) & own and is_place(one) and names_in(other):
            return one, other
    return None


def _edit(source: Source, outer: ast.For, inner: ast.For, keys: tuple[ast.expr, ast.expr]) -> Edit:
    key, wanted = (source.words(one) for one in keys)
    many = source.words(inner.iter)
    last = inner.iter.attr if isinstance(inner.iter, ast.Attribute) else next(iter(root(inner.iter)))
    name, target = source.fresh(f"{last}_by_key", inner), source.words(inner.target)
    item = target if isinstance(inner.target, ast.Name) else f"({target.strip('()')})"
    # Where there is nothing to go through, nothing of the items was looked at before.
    some = f" if {source.words(outer.iter)} else ()" if is_place(outer.iter) else ""
    return Edit(
        parts=(before(source, outer, f"{name} = {{}}", f"for {target} in {many}{some}:",
                      f"    {name}.setdefault({key}, []).append({item})"),
               replaced(source, inner.iter, f"{name}.get({wanted}, ()) if {name} else ()")),
        node=outer, confidence=0.6,
        reason=f"All of {many} is gone through in every round: a dictionary has those of one key.")


RULE = Rule(
    name="joins", find=find,
    what="An inner loop that only looks for items with an equal key takes them from a dictionary that is made once.",
    examples=(
        Example("def f(a, b):\n    for x in a:\n        for y in b:\n            if y.id == x.id:\n"
                "                print(x, y)\n",
                "def f(a, b):\n    b_by_key = {}\n    for y in b if a else ():\n"
                "        b_by_key.setdefault(y.id, []).append(y)\n"
                "    for x in a:\n        for y in b_by_key.get(x.id, ()) if b_by_key else ():\n"
                "            if y.id == x.id:\n"
                "                print(x, y)\n"),
        Example("def f(a, b):\n    for x in a:\n        for y in b:\n            if y.id < x.id:\n"
                "                print(x, y)\n", None),
        Example("def f(a, b):\n    for x in a:\n        for y in b:\n            if y.id == x.id:\n"
                "                b.remove(y)\n", None),
    ))
