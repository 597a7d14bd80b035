"""A list that is copied to make it longer, or put in order after each item."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Rule, replaced
from windtunnel.speedups.source import Source, block_of


def find(source: Source) -> Iterator[Edit]:
    """``kept = kept + [x]`` in a loop, where nobody else holds the list: it is made longer in place."""
    for node in source.nodes(ast.Assign):
        assert isinstance(node, ast.Assign)
        loop = next((one for one in source.loops(node) if isinstance(one, ast.For | ast.While)), None)
        if loop is None or not _longer(node) or not isinstance(loop, ast.stmt):
            continue
        assert isinstance(node.targets[0], ast.Name)
        assert isinstance(node.value, ast.BinOp)
        assert isinstance(node.value.right, ast.List)
        name, items = node.targets[0].id, node.value.right
        if not _own(source, loop, name) or _held(source, loop, name, node):
            continue
        one = len(items.elts) == 1 and not isinstance(items.elts[0], ast.Starred)
        added = f"append({source.words(items.elts[0])})" if one else f"extend({source.words(items)})"
        yield Edit(parts=(replaced(source, node, f"{name}.{added}"),), node=node, confidence=0.7,
                   reason=f"All of {name} is copied in every round: it is made longer in place.")


def _longer(node: ast.Assign) -> bool:
    value = node.value
    return (len(node.targets) == 1 and isinstance(node.targets[0], ast.Name) and isinstance(value, ast.BinOp)
            and isinstance(value.op, ast.Add) and isinstance(value.left, ast.Name)
            and value.left.id == node.targets[0].id and isinstance(value.right, ast.List) and bool(value.right.elts))


def _own(source: Source, loop: ast.stmt, name: str) -> bool:
    """Whether the list is made before the loop, and so is nobody else's."""
    block = block_of(source, loop)
    return any(isinstance(one, ast.Assign) and isinstance(one.value, ast.List | ast.ListComp) and any(
        isinstance(target, ast.Name) and target.id == name for target in one.targets)
        for one in block[:block.index(loop)])


def _held(source: Source, loop: ast.AST, name: str, node: ast.Assign) -> bool:
    """Whether the list itself goes anywhere else inside the loop."""
    inside = set(ast.walk(node))
    return any(isinstance(one, ast.Name) and one.id == name and one not in inside and not isinstance(
        source.parents[one], ast.Subscript | ast.Attribute | ast.Compare) for one in ast.walk(loop))


RULE = Rule(
    name="lists", find=find,
    what="`kept = kept + [x]` in a loop, where nobody else holds the list, becomes `kept.append(x)`.",
    examples=(
        Example("def f(x):\n    kept = []\n    for one in x:\n        kept = kept + [one]\n    return kept\n",
                "def f(x):\n    kept = []\n    for one in x:\n        kept.append(one)\n    return kept\n"),
        Example("def f(x, kept):\n    for one in x:\n        kept = kept + [one]\n    return kept\n", None),
        Example("def f(x):\n    kept, every = [], []\n    for one in x:\n        kept = kept + [one]\n"
                "        every.append(kept)\n    return every\n", None),
    ))
