"""Looking for something in a list again and again."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.speedups.rule import Edit, Example, Rule, before, replaced
from windtunnel.speedups.source import Source, changed, is_place, names_in, root, same

_QUICK = (ast.Set, ast.Dict, ast.SetComp, ast.DictComp)


def find(source: Source) -> Iterator[Edit]:
    """``x in many`` inside a loop that does not change ``many``: in a set that is made once."""
    done: list[tuple[ast.AST, ast.AST]] = []
    for node in source.nodes(ast.Compare):
        assert isinstance(node, ast.Compare)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.In | ast.NotIn) or not is_place(node.comparators[0]):
            continue
        many = node.comparators[0]
        loop = _outermost(source, node, many)
        if loop is None or _quick_already(source, many) or any(loop is one and same(many, two) for one, two in done):
            continue
        done.append((loop, many))
        yield from _edit(source, loop, many)


def _outermost(source: Source, node: ast.AST, many: ast.expr) -> ast.AST | None:
    """The outermost loop in which what is looked into stays the same."""
    for loop in source.loops(node):
        if not names_in(many) & changed(loop):
            return loop
    return None


def _quick_already(source: Source, many: ast.expr) -> bool:
    """Whether the function itself says that it is a set or a dictionary."""
    function = source.function(many)
    for node in ast.walk(function) if function is not None else ():
        if isinstance(node, ast.Assign) and any(same_name(target, many) for target in node.targets) and (
                isinstance(node.value, _QUICK) or (isinstance(node.value, ast.Call) and isinstance(
                    node.value.func, ast.Name) and node.value.func.id in {"set", "frozenset", "dict"})):
            return True
    return False


def same_name(target: ast.AST, many: ast.expr) -> bool:
    """Whether an assignment gives a value to the same place."""
    return isinstance(target, ast.Name) and isinstance(many, ast.Name) and target.id == many.id


def _edit(source: Source, loop: ast.AST, many: ast.expr) -> Iterator[Edit]:
    statement = source.statement(loop)
    if not source.alone(statement) and not isinstance(statement, ast.For | ast.While):
        return
    base = next(iter(root(many)))
    last = many.attr if isinstance(many, ast.Attribute) else base
    name = source.fresh(f"{last}_set", many)
    uses = [one for node in ast.walk(loop) if isinstance(node, ast.Compare) and len(node.ops) == 1
            and isinstance(node.ops[0], ast.In | ast.NotIn) and same(one := node.comparators[0], many)]
    yield Edit(
        parts=(before(source, statement, f"{name} = set({source.words(many)})"),
               *(replaced(source, one, name) for one in uses)),
        node=loop, confidence=0.6,
        reason=f"{source.words(many)} is searched in every round: a set of it answers at once.")


RULE = Rule(
    name="membership", find=find,
    what="`x in many` inside a loop that does not change `many` looks into a set that is made once before it.",
    examples=(
        Example("def f(words, stop):\n    for word in words:\n        if word in stop:\n            print(word)\n",
                "def f(words, stop):\n    stop_set = set(stop)\n    for word in words:\n        if word in stop_set:\n"
                "            print(word)\n"),
        Example("def f(a, b):\n    return [x for x in a if x not in b]\n",
                "def f(a, b):\n    b_set = set(b)\n    return [x for x in a if x not in b_set]\n"),
        Example("def f(words, seen):\n    for word in words:\n        if word not in seen:\n"
                "            seen.append(word)\n", None),
        Example("def f(words):\n    stop = {'a'}\n    return [word for word in words if word in stop]\n", None),
        Example("def f(word, stop):\n    return word in stop\n", None),
    ))
