"""The same worked out anew in every round of a loop."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Rule, before, replaced
from windtunnel.speedups.source import Source, changed, is_place, names_in, same

_COSTLY = {"sum", "min", "max", "sorted", "set", "frozenset"}
_MAY_FAIL = {"min", "max"}
"""On nothing at all; a loop that has no round would not have asked."""


def find(source: Source) -> Iterator[Edit]:
    """``re.compile(…)`` and costly builtins on names that the loop leaves alone: once before it."""
    done: list[tuple[ast.AST, ast.AST]] = []
    for node in source.nodes(ast.Call):
        assert isinstance(node, ast.Call)
        if not _is_costly(node) or any(isinstance(one, ast.Call) and not _harmless(one) for one in ast.walk(node)
                                       if one is not node):
            continue
        loop = next((one for one in source.loops(node) if not names_in(node) & changed(one)), None)
        if loop is None or any(loop is one and same(node, two) for one, two in done):
            continue
        done.append((loop, node))
        yield _edit(source, loop, node)


def _is_costly(node: ast.Call) -> bool:
    if isinstance(node.func, ast.Attribute):
        return isinstance(node.func.value, ast.Name) and (node.func.value.id, node.func.attr) == ("re", "compile")
    return isinstance(node.func, ast.Name) and node.func.id in _COSTLY and len(node.args) == 1 and (
        is_place(node.args[0]) or not names_in(node.args[0]) - {"range"})


def _harmless(node: ast.Call) -> bool:
    """A call inside it that answers alike each time, and does nothing else."""
    return (isinstance(node.func, ast.Name) and node.func.id in {"str", "len", "int", "float", "abs", "range"}) or (
        isinstance(node.func, ast.Attribute) and node.func.attr in {"escape", "join", "format", "lower", "upper"})


def _edit(source: Source, loop: ast.AST, node: ast.Call) -> Edit:
    func = node.func
    called = func.id if isinstance(func, ast.Name) else "pattern"
    name, words = source.fresh(f"{called}_once", node), source.words(node)
    made = f"{words} if {source.words(node.args[0])} else None" if called in _MAY_FAIL else words
    return Edit(
        parts=(before(source, source.statement(loop), f"{name} = {made}"),
               *(replaced(source, one, name) for one in ast.walk(loop)
                 if isinstance(one, ast.Call) and same(one, node))),
        node=loop, confidence=0.7, reason=f"{words[:60]} is the same in every round: it is worked out once.")


RULE = Rule(
    name="constant", find=find,
    what="`re.compile`, `sum`, `min`, `max`, `sorted` and `set` of what a loop leaves alone are worked out before it.",
    examples=(
        Example("def f(values):\n    return [value / sum(values) for value in values]\n",
                "def f(values):\n    sum_once = sum(values)\n    return [value / sum_once for value in values]\n"),
        Example("import re\n\n\ndef f(lines):\n    for line in lines:\n        print(re.compile('a+').match(line))\n",
                "import re\n\n\ndef f(lines):\n    pattern_once = re.compile('a+')\n    for line in lines:\n"
                "        print(pattern_once.match(line))\n"),
        Example("def f(values):\n    for value in values:\n        print(max(values))\n",
                "def f(values):\n    max_once = max(values) if values else None\n    for value in values:\n"
                "        print(max_once)\n"),
        Example("def f(values):\n    for value in list(values):\n        values.append(sum(values))\n", None),
        Example("def f(values):\n    for at in range(9):\n        print(len(values))\n", None),
    ))
