"""Counting in a list, or looking for a place in it, again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Rule, before, replaced
from windtunnel.speedups.source import Source, changed, is_place, names_in, root, same

_COUNTER = "from collections import Counter"


def find(source: Source) -> Iterator[Edit]:
    """``many.count(x)`` and ``many.index(x)`` inside a loop that does not change ``many``."""
    done: list[tuple[ast.AST, str, ast.AST]] = []
    for node in source.nodes(ast.Call):
        assert isinstance(node, ast.Call)
        method = node.func
        if not isinstance(method, ast.Attribute) or method.attr not in {"count", "index"} or len(node.args) != 1 or (
                node.keywords or not is_place(method.value)):
            continue
        many = method.value
        loop = next((one for one in source.loops(node) if not names_in(many) & changed(one)), None)
        if loop is None or any(loop is one and method.attr == kind and same(many, two) for one, kind, two in done):
            continue
        done.append((loop, method.attr, many))
        yield _edit(source, loop, method)


def _edit(source: Source, loop: ast.AST, method: ast.Attribute) -> Edit:
    many = source.words(method.value)
    last = method.value.attr if isinstance(method.value, ast.Attribute) else next(iter(root(method.value)))
    counts = method.attr == "count"
    name = source.fresh(f"{last}_{'counts' if counts else 'places'}", method)
    made = f"Counter({many})" if counts else f"dict(zip(reversed({many}), range(len({many}) - 1, -1, -1)))"
    calls = [one for one in ast.walk(loop) if isinstance(one, ast.Call) and same(one.func, method)
             and len(one.args) == 1 and not one.keywords]
    return Edit(
        parts=(before(source, source.statement(loop), f"{name} = {made}"),
               *(replaced(source, one, f"{name}[{source.words(one.args[0])}]") for one in calls)),
        node=loop, confidence=0.6, imports=(_COUNTER,) if counts else (),
        reason=f"All of {many} is gone through in every round: a dictionary that is made once has the answers.")


RULE = Rule(
    name="places", find=find,
    what="`many.count(x)` and `many.index(x)` inside a loop that does not change `many` ask a dictionary made once.",
    examples=(
        Example("def f(votes):\n    return {one: votes.count(one) for one in votes}\n",
                "from collections import Counter\ndef f(votes):\n    votes_counts = Counter(votes)\n"
                "    return {one: votes_counts[one] for one in votes}\n"),
        Example("def f(names, order):\n    for name in names:\n        print(order.index(name))\n",
                "def f(names, order):\n    order_places = dict(zip(reversed(order), range(len(order) - 1, -1, -1)))\n"
                "    for name in names:\n        print(order_places[name])\n"),
        Example("def f(names, order):\n    for name in names:\n        order.append(name)\n"
                "        print(order.index(name))\n", None),
        Example("def f(order, name):\n    return order.index(name)\n", None),
    ))
