"""Places that a list does not have: one too far, or none at all."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, before, last_name, replace
from windtunnel.repair.rules.module import Module

_SAID = re.compile(r"index out of range|pop from empty|pop from an empty|pop index out of range")


def ranges(sight: Sight) -> Iterator[Fix]:
    """A loop that goes one too far."""
    for module, line in sight.places()[:1]:
        nodes = module.nodes(line)
        statement = module.statement(line)
        loops = (
            []
            if statement is None
            else [one for one in (statement, *module.up(statement)) if isinstance(one, (ast.For, ast.While))]
        )
        iterators = [one.iter for one in nodes if isinstance(one, ast.comprehension)] + [
            one.iter for one in loops if isinstance(one, ast.For)
        ]
        ahead = max([_ahead(one) for one in nodes if isinstance(one, ast.Subscript)] or [0])
        for call in iterators:
            if isinstance(call, ast.Call) and last_name(call.func) == "range" and call.args:
                yield from _bounded(module, call, ahead=ahead)
        for loop in loops:
            if isinstance(loop, ast.While):
                yield from _while(module, loop)


def _ahead(node: ast.Subscript) -> int:
    """How far ahead of its counter an index looks."""
    index = node.slice
    if (
        isinstance(index, ast.BinOp)
        and isinstance(index.op, ast.Add)
        and isinstance(index.right, ast.Constant)
        and isinstance(index.right.value, int)
    ):
        return index.right.value
    return 0


def _bounded(module: Module, call: ast.Call, *, ahead: int) -> Iterator[Fix]:
    bound = call.args[min(1, len(call.args) - 1)]
    text = module.source(bound)
    if (
        isinstance(bound, ast.BinOp)
        and isinstance(bound.right, ast.Constant)
        and isinstance(bound.op, ast.Add)
        and bound.right.value == 1
    ):
        yield Fix((replace(module, bound, module.source(bound.left)),), 0.92, "The loop goes one too far.")
    elif ahead:
        yield Fix(
            (replace(module, bound, f"{text} - {ahead}"),),
            0.93,
            f"The loop looks {ahead} ahead and must end that much sooner.",
        )
    else:
        yield Fix((replace(module, bound, f"{text} - 1"),), 0.5, "The loop goes one too far.")


def _while(module: Module, loop: ast.While) -> Iterator[Fix]:
    for node in ast.walk(loop.test):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.LtE, ast.GtE)):
            one, two = node.left, node.comparators[0]
            sign = "<" if isinstance(node.ops[0], ast.LtE) else ">"
            yield Fix(
                ((module.path, module.span(one)[1], module.span(two)[0], f" {sign} "),),
                0.8,
                "The loop goes one too far.",
            )
    text = module.source(loop.test)
    for node in ast.walk(loop):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and isinstance(node.value, ast.Name):
            guard = f"{node.slice.id} < len({node.value.id})"
            if guard not in text:
                yield Fix(
                    (replace(module, loop.test, f"{guard} and {text if ' or ' not in text else f'({text})'}"),),
                    0.6,
                    "The loop runs past the end.",
                )


def last_places(sight: Sight) -> Iterator[Fix]:
    """An index that is the length, or counts from one."""
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            if not isinstance(node, ast.Subscript) or isinstance(node.slice, ast.Slice):
                continue
            text = module.source(node.slice)
            length = f"len({module.source(node.value)})"
            if text == length:
                yield Fix((replace(module, node.slice, "-1"),), 0.94, "The last place is -1, one before the length.")
            if (
                isinstance(node.slice, ast.BinOp)
                and isinstance(node.slice.op, ast.Add)
                and isinstance(node.slice.right, ast.Constant)
            ):
                yield Fix(
                    (replace(module, node.slice, module.source(node.slice.left)),), 0.3, "The place is one too far."
                )
            elif isinstance(node.slice, (ast.Name, ast.BinOp, ast.Call)) and text != length:
                yield Fix((replace(module, node.slice, f"{text} - 1"),), 0.35, "The place is one too far.")
            elif isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int) and node.slice.value > 0:
                yield Fix((replace(module, node.slice, str(node.slice.value - 1)),), 0.4, "Places count from 0.")
            if isinstance(node.ctx, ast.Store) and isinstance(statement := module.statement_at(node), ast.Assign):
                yield Fix(
                    (
                        replace(
                            module, statement, f"{module.source(node.value)}.append({module.source(statement.value)})"
                        ),
                    ),
                    0.8,
                    "A list grows by append, not by a place that is not there.",
                )


def empties(sight: Sight) -> Iterator[Fix]:
    """A list that may have nothing in it."""
    for module, line in sight.places()[:1]:
        for node in module.nodes(line):
            value = (
                node.value
                if isinstance(node, ast.Subscript)
                else (
                    node.func.value
                    if isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr in {"pop", "popleft"}
                    else None
                )
            )
            statement = module.statement_at(node)
            function = module.function(node)
            if (
                value is None
                or statement is None
                or function is None
                or not isinstance(value, (ast.Name, ast.Attribute))
            ):
                continue
            text = module.source(value)
            for at, result in enumerate(dict.fromkeys([*wanted(sight), "None"])):
                yield Fix(
                    (before(module, statement, [f"if not {text}:", f"    return {result}"]),),
                    0.6 - 0.2 * at,
                    f"'{text}' may be empty.",
                )


def wanted(sight: Sight) -> list[str]:
    """What a function may give where there is nothing: what the test wants, else None."""
    test = sight.test()
    found = [
        ast.unparse(node.comparators[0])
        for node in ([] if test is None else test[0].nodes(test[1]))
        if isinstance(node, ast.Compare)
        and isinstance(node.ops[0], (ast.Eq, ast.Is))
        and isinstance(node.comparators[0], (ast.Constant, ast.List, ast.Dict, ast.Tuple, ast.UnaryOp))
    ]
    return list(dict.fromkeys(found))


RULES = (
    Rule(
        name="range-too-far",
        what="A loop goes one too far.",
        before="for i in range(len(x)):\n    x[i + 1]",
        after="for i in range(len(x) - 1):\n    x[i + 1]",
        suggest=ranges,
        errors=("IndexError",),
        message=_SAID,
    ),
    Rule(
        name="index-too-far",
        what="An index is the length of its list, or counts from one.",
        before="x[len(x)]",
        after="x[-1]",
        suggest=last_places,
        errors=("IndexError",),
        message=_SAID,
    ),
    Rule(
        name="empty-list",
        what="A list may have nothing in it.",
        before="return x[0]",
        after="if not x:\n    return None\nreturn x[0]",
        suggest=empties,
        errors=("IndexError",),
        message=_SAID,
    ),
)
