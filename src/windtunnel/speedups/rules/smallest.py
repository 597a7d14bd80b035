"""A whole list put in order for a few of its items."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Rule, replaced
from windtunnel.speedups.source import Source, is_call, is_place

_IMPORT = "import heapq"


def find(source: Source) -> Iterator[Edit]:
    """``sorted(x)[0]`` and ``sorted(x)[:k]``."""
    for node in source.nodes(ast.Subscript):
        assert isinstance(node, ast.Subscript)
        call = node.value
        above = source.parents[node]
        if not isinstance(call, ast.Call) or not is_call(call, "sorted") or len(call.args) != 1 or (
                isinstance(above, ast.IfExp) and above.orelse is node):  # as it is written below
            continue
        options = {one.arg: one.value for one in call.keywords}
        turned = options.pop("reverse", None)
        if not options.keys() <= {"key"} or not (turned is None or isinstance(turned, ast.Constant)):
            continue
        down = isinstance(turned, ast.Constant) and bool(turned.value)
        given = "".join(f", key={source.words(value)}" for value in options.values())
        text = _text(source, node, down=down, given=given)
        if text is not None:
            yield Edit(parts=(replaced(source, node, text),), node=node, confidence=0.7,
                       imports=(_IMPORT,) if "heapq" in text else (),
                       reason="All of it is put in order for a few items: those alone are looked for.")


def _text(source: Source, node: ast.Subscript, *, down: bool, given: str) -> str | None:
    assert isinstance(node.value, ast.Call)
    many, place = source.words(node.value.args[0]), node.slice
    if isinstance(place, ast.Constant) and place.value == 0:
        return f"{'max' if down else 'min'}({many}{given})"
    if isinstance(place, ast.UnaryOp) and isinstance(place.op, ast.USub) and isinstance(
            place.operand, ast.Constant) and place.operand.value == 1 and not given:
        return f"{'min' if down else 'max'}({many})"
    if isinstance(place, ast.Slice) and place.lower is None and place.step is None and place.upper is not None:
        if isinstance(place.upper, ast.UnaryOp):
            return None
        count = source.words(place.upper)
        few = f"heapq.{'nlargest' if down else 'nsmallest'}({count}, {many}{given})"
        if isinstance(place.upper, ast.Constant):
            return few
        # A number below zero counts from the end.
        return f"({few} if {count} >= 0 else {source.words(node)})" if is_place(place.upper) else None
    return None


RULE = Rule(
    name="smallest", find=find,
    what="`sorted(x)[0]` becomes `min(x)`, `sorted(x)[:k]` becomes `heapq.nsmallest(k, x)`; the same for the largest.",
    examples=(
        Example("def f(x):\n    return sorted(x)[0]\n", "def f(x):\n    return min(x)\n"),
        Example("def f(x, k):\n    return sorted(x, key=abs, reverse=True)[:k]\n",
                "import heapq\ndef f(x, k):\n    return (heapq.nlargest(k, x, key=abs) if k >= 0 else "
                "sorted(x, key=abs, reverse=True)[:k])\n"),
        Example("def f(x):\n    return sorted(x)[:3]\n",
                "import heapq\ndef f(x):\n    return heapq.nsmallest(3, x)\n"),
        Example("import heapq\ndef f(x, k):\n    return (heapq.nsmallest(k, x) if k >= 0 else sorted(x)[:k])\n", None),
        Example("def f(x):\n    return sorted(x)[1]\n", None),
        Example("def f(x):\n    return sorted(x, key=len)[-1]\n", None),
        Example("def f(x):\n    return sorted(x)[:-1]\n", None),
    ))
