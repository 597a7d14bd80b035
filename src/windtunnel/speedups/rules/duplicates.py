"""Leaving out what was there before, by looking through all that was kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Rule, after, before, replaced
from windtunnel.speedups.source import Source, block_of, same


def find(source: Source) -> Iterator[Edit]:
    """``if x not in kept: kept.append(x)``: a set beside the list is asked instead."""
    for node in source.nodes(ast.If):
        assert isinstance(node, ast.If)
        test, loops = node.test, source.loops(node)
        if not loops or not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(
                test.ops[0], ast.NotIn) or not isinstance(test.comparators[0], ast.Name):
            continue
        kept, appends = test.comparators[0].id, _appends(node, test)
        loop = next((one for one in loops if isinstance(one, ast.For | ast.While) and _begun(source, one, kept)), None)
        if loop is None or len(appends) != 1 or len(_changes(loop, kept)) != 1:
            continue
        name = source.fresh(f"{kept}_set", node)
        assert isinstance(loop, ast.stmt)
        value = source.words(test.left)
        yield Edit(
            parts=(before(source, loop, f"{name} = set()"), replaced(source, test.comparators[0], name),
                   after(source, appends[0], f"{name}.add({value})")),
            node=node, confidence=0.8,
            reason=f"All of {kept} is searched for each value: a set beside it answers at once.")


def _appends(node: ast.If, test: ast.Compare) -> list[ast.stmt]:
    """The statements that keep the very value that was looked for."""
    return [one for one in node.body if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call)
            and isinstance(one.value.func, ast.Attribute) and one.value.func.attr == "append"
            and same(one.value.func.value, test.comparators[0]) and len(one.value.args) == 1
            and same(one.value.args[0], test.left)]


def _begun(source: Source, loop: ast.AST, kept: str) -> bool:
    """Whether the list begins empty just before the loop."""
    assert isinstance(loop, ast.stmt)
    block = block_of(source, loop)
    earlier = [one for one in block[:block.index(loop)] if _changes(one, kept)]
    last = earlier[-1] if earlier else None
    if isinstance(last, ast.AnnAssign):
        return isinstance(last.value, ast.List) and not last.value.elts
    if not isinstance(last, ast.Assign) or len(last.targets) != 1:
        return False
    target, value = last.targets[0], last.value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        value = next((two for one, two in zip(target.elts, value.elts, strict=True)
                      if isinstance(one, ast.Name) and one.id == kept), value)
    return isinstance(value, ast.List) and not value.elts


def _changes(node: ast.AST, kept: str) -> list[ast.AST]:
    """Where the list is given a value or changed by a method."""
    return [one for one in ast.walk(node) if (isinstance(one, ast.Name) and one.id == kept and not isinstance(
        one.ctx, ast.Load)) or (isinstance(one, ast.Attribute) and isinstance(one.value, ast.Name)
                                and one.value.id == kept and one.attr not in {"count", "index", "copy"})]


RULE = Rule(
    name="duplicates", find=find,
    what="`if x not in kept: kept.append(x)` in a loop asks a set that is kept beside the list.",
    examples=(
        Example("def f(values):\n    kept = []\n    for value in values:\n        if value not in kept:\n"
                "            kept.append(value)\n    return kept\n",
                "def f(values):\n    kept = []\n    kept_set = set()\n    for value in values:\n"
                "        if value not in kept_set:\n            kept.append(value)\n            kept_set.add(value)\n"
                "    return kept\n"),
        Example("def f(values, kept):\n    for value in values:\n        if value not in kept:\n"
                "            kept.append(value)\n", None),
        Example("def f(values):\n    kept = []\n    for value in values:\n        if value not in kept:\n"
                "            kept.append(value)\n        else:\n            kept.remove(value)\n", None),
    ))
