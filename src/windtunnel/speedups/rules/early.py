"""A whole list made where the first answer would do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Rule, replaced
from windtunnel.speedups.source import Source, is_call


def find(source: Source) -> Iterator[Edit]:
    """``any([…])`` and ``all([…])``: without the list, they stop at the first answer that settles it."""
    for node in source.nodes(ast.Call):
        assert isinstance(node, ast.Call)
        if (is_call(node, "any") or is_call(node, "all")) and len(node.args) == 1 and isinstance(
                node.args[0], ast.ListComp) and not node.keywords:
            inside = source.words(node.args[0])[1:-1].strip()
            yield Edit(parts=(replaced(source, node.args[0], inside),), node=node, confidence=0.7,
                       reason="A list of all answers is made: without it, the first that settles it is the last asked.")


RULE = Rule(
    name="early", find=find,
    what="`any([…])` and `all([…])` of a list comprehension go without the list, and stop at the answer.",
    examples=(
        Example("def f(x):\n    return any([one > 3 for one in x])\n",
                "def f(x):\n    return any(one > 3 for one in x)\n"),
        Example("def f(x):\n    return any(one > 3 for one in x)\n", None),
        Example("def f(x):\n    return sum([one > 3 for one in x])\n", None),
    ))
