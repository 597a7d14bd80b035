"""Functions that call themselves without an end."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, before, last_name, start_of
from windtunnel.repair.rules.module import Function, Module

_SAID = re.compile(r"maximum recursion depth|stack overflow")


def endless(sight: Sight) -> Iterator[Fix]:
    """A case that ends, or a property that asks for itself."""
    for module, function in sight.suspects()[:4]:
        marks = {last_name(one) for one in function.decorator_list}
        yield from _property(module, function, getter=bool(marks & {"property", "cached_property", "setter"}))
        calls = [
            node for node in ast.walk(function) if isinstance(node, ast.Call) and last_name(node.func) == function.name
        ]
        if calls:
            yield from _base_case(module, function, calls)
            for call in calls:
                if (
                    isinstance(call.func, ast.Attribute)
                    and isinstance(call.func.value, ast.Name)
                    and call.func.value.id == "self"
                    and len(function.body) <= 2  # noqa: PLR2004 -- a measure that is this place's own
                ):
                    yield Fix(
                        ((module.path, *module.span(call.func.value), "super()"),),
                        0.5,
                        f"{function.name} means that of its base.",
                    )


def _property(module: Module, function: Function, *, getter: bool) -> Iterator[Fix]:
    own = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute)
        and node.attr == function.name
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and not (isinstance(parent := module.parents.get(node), ast.Call) and parent.func is node)
    ]
    owner = module.owner(function)
    if not own or owner is None or not getter:
        return
    every = [
        node
        for node in ast.walk(owner)
        if isinstance(node, ast.Attribute)
        and node.attr == function.name
        and isinstance(node.value, ast.Name)
        and node.value.id == "self"
        and ((one := module.function(node)) is not None and one.name == function.name)
    ]
    parts = tuple(
        (module.path, module.span(node)[1] - len(node.attr), module.span(node)[1], f"_{node.attr}") for node in every
    )
    yield Fix(parts, 0.93, f"The property {function.name} asks for itself: its value is kept as '_{function.name}'.")


def _base_case(module: Module, function: Function, calls: list[ast.Call]) -> Iterator[Fix]:
    parameters = [one.arg for one in function.args.args if one.arg not in {"self", "cls"}]
    if not parameters:
        return
    first = start_of(function)
    returns = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value is not None]
    shrinking = _shrinking(calls, parameters)
    for name, how in shrinking or [(parameters[0], "less")]:
        multiplied = any(
            isinstance(one, ast.BinOp) and isinstance(one.op, ast.Mult) for value in returns for one in ast.walk(value)
        )
        twice = len(calls) > 1
        if how == "less":
            rows = (
                [(f"if {name} <= 1:", name, 0.8), (f"if {name} <= 0:", "0", 0.5)]
                if twice
                else (
                    [(f"if {name} <= 1:", "1", 0.85), (f"if {name} == 0:", "1", 0.8)]
                    if multiplied
                    else [
                        (f"if {name} <= 0:", "0", 0.75),
                        (f"if {name} <= 0:", "1", 0.4),
                        (f"if {name} == 0:", "[]", 0.3),
                    ]
                )
            )
        elif how == "rest":
            rows = [
                (f"if not {name}:", "0", 0.65),
                (f"if not {name}:", name, 0.55),
                (f"if not {name}:", "[]", 0.45),
                (f"if not {name}:", "''", 0.35),
            ]
        else:
            rows = [(f"if {name} is None:", "0", 0.5), (f"if {name} is None:", "None", 0.45)]
        for test, result, prior in rows:
            yield Fix(
                (before(module, first, [test, f"    return {result}"]),),
                prior,
                f"{function.name} calls itself without an end.",
            )


def _shrinking(calls: list[ast.Call], parameters: list[str]) -> list[tuple[str, str]]:
    """Which parameter gets smaller from call to call, and how."""
    found: list[tuple[str, str]] = []
    for call in calls:
        for name, value in zip(parameters, call.args, strict=False):
            if (
                isinstance(value, ast.BinOp)
                and isinstance(value.op, (ast.Sub, ast.FloorDiv))
                and isinstance(value.left, ast.Name)
                and value.left.id == name
            ):
                found.append((name, "less"))
            elif (
                isinstance(value, ast.Subscript)
                and isinstance(value.slice, ast.Slice)
                and isinstance(value.value, ast.Name)
                and value.value.id == name
            ):
                found.append((name, "rest"))
            elif isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name) and value.value.id == name:
                found.append((name, "none"))
            elif isinstance(value, ast.Name) and value.id == name and len(call.args) == 1:
                continue
    return list(dict.fromkeys(found))


RULES = (
    Rule(
        name="endless-recursion",
        what="A function calls itself without an end, or a property asks for itself.",
        before="def f(n):\n    return n * f(n - 1)",
        after="def f(n):\n    if n <= 1:\n        return 1\n    return n * f(n - 1)",
        suggest=endless,
        errors=("RecursionError",),
        message=_SAID,
    ),
)
