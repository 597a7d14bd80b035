"""A list whose front is taken off."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Part, Rule, replaced
from windtunnel.speedups.source import Function, Source, is_call

_IMPORT = "from collections import deque"
_METHODS = {"append", "extend", "pop", "insert", "clear", "remove", "count"}


def find(source: Source) -> Iterator[Edit]:
    """A local list that is used as a queue, and as nothing that a deque is not."""
    for function in source.nodes(ast.FunctionDef, ast.AsyncFunctionDef):
        assert isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for name in dict.fromkeys(_queues(function)):
            parts = _parts(source, function, name)
            if parts:
                yield Edit(parts=tuple(parts), node=function.body[-1], confidence=0.8, imports=(_IMPORT,),
                           reason=f"All of {name} is moved when its first item goes: a deque moves nothing.")


def _queues(function: Function) -> Iterator[str]:
    """Names whose first item is taken off or put in."""
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(
                node.func.value, ast.Name) and _front(node):
            yield node.func.value.id


def _front(call: ast.Call) -> bool:
    assert isinstance(call.func, ast.Attribute)
    zero = bool(call.args) and isinstance(call.args[0], ast.Constant) and call.args[0].value == 0
    return zero and (call.func.attr, len(call.args)) in {("pop", 1), ("insert", 2)}


def _parts(source: Source, function: Function, name: str) -> list[Part] | None:
    """The edits; None where the list is used for something else."""
    found: list[Part] = []
    for node in ast.walk(function):
        if isinstance(node, ast.arg) and node.arg == name:
            return None
        if not isinstance(node, ast.Name) or node.id != name:
            continue
        made = _made(source, node) if isinstance(node.ctx, ast.Store) else _used(source, node)
        if made is None:
            return None
        found += made
    return found


def _made(source: Source, node: ast.Name) -> list[Part] | None:
    """Where it gets a list: of a deque instead."""
    above = source.parents[node]
    assign = source.parents[above] if isinstance(above, ast.Tuple) else above
    value = getattr(assign, "value", None)
    if isinstance(above, ast.Tuple) and isinstance(value, ast.Tuple) and len(above.elts) == len(value.elts):
        value = value.elts[above.elts.index(node)]
    if not isinstance(assign, ast.Assign | ast.AnnAssign) or value is None:
        return None
    if isinstance(value, ast.List | ast.ListComp) or is_call(value, "sorted"):
        return [replaced(source, value, f"deque({source.words(value) if getattr(value, 'elts', 1) else ''})")]
    if isinstance(value, ast.Call) and is_call(value, "list"):
        return [replaced(source, value.func, "deque")]
    return None


def _used(source: Source, node: ast.Name) -> list[Part] | None:
    """Where it is read: nothing to do, another method, or None for what a deque cannot be."""
    above = source.parents[node]
    call = source.parents.get(above)
    if isinstance(above, ast.Attribute) and isinstance(call, ast.Call) and call.func is above:
        if above.attr not in _METHODS or (above.attr in {"pop", "insert"} and call.args and not _front(call)):
            return None
        if not _front(call):
            return []
        end = source.span(above)[1]
        first = call.args[1] if above.attr == "insert" else None
        text = f".appendleft({source.words(first)})" if first is not None else ".popleft()"
        return [(source.span(node)[1], source.span(call)[1], text)] if end else None
    if isinstance(above, ast.Subscript):
        constant = isinstance(above.slice, ast.Constant | ast.UnaryOp) and isinstance(above.ctx, ast.Load)
        return [] if constant and above.value is node else None
    tested = isinstance(above, ast.While | ast.If | ast.IfExp) and above.test is node
    asked = isinstance(above, ast.UnaryOp | ast.BoolOp) or is_call(above, "len") or is_call(above, "bool") or (
        isinstance(above, ast.Compare) and node in above.comparators and isinstance(above.ops[-1], ast.In | ast.NotIn))
    return [] if tested or asked or (isinstance(above, ast.For) and above.iter is node) else None


RULE = Rule(
    name="queues", find=find,
    what="A local list with `pop(0)` or `insert(0, x)` that is used as nothing but a queue becomes a `deque`.",
    examples=(
        Example("def f(root):\n    todo = [root]\n    while todo:\n        node = todo.pop(0)\n"
                "        todo.extend(node)\n",
                "from collections import deque\ndef f(root):\n    todo = deque([root])\n    while todo:\n"
                "        node = todo.popleft()\n        todo.extend(node)\n"),
        Example("def f(values):\n    out = []\n    for value in values:\n        out.insert(0, value)\n"
                "    return out\n", None),
        Example("def f(todo):\n    while todo:\n        print(todo.pop(0))\n", None),
        Example("def f(values):\n    todo = list(values)\n    while todo:\n"
                "        print(todo.pop(0), todo[1:])\n", None),
    ))
