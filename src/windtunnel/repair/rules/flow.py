"""Variables without a value on some way: of an outer scope, of the object, or not set before."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, before, nearest, replace, start_of
from windtunnel.repair.rules.module import FUNCTIONS, Function, Module, parameters, stored

_SAID = re.compile(
    r"(?:cannot access local variable '(\w+)'|local variable '(\w+)' referenced before|free variable '(\w+)')"
)


def outer(sight: Sight) -> Iterator[Fix]:
    """A variable of an outer scope that the function means to change, or a member of the object."""
    name = next(one for one in sight.said.groups() if one)
    for module, function in _here(sight):
        above = [one for one in module.up(function) if isinstance(one, FUNCTIONS)]
        if any(name in stored(one) | parameters(one) for one in above):
            yield Fix(
                (before(module, start_of(function), [f"nonlocal {name}"]),),
                0.94,
                f"'{name}' is of the function around.",
            )
        elif name in stored(module.tree):
            yield Fix((before(module, start_of(function), [f"global {name}"]),), 0.9, f"'{name}' is of the module.")
            parts = tuple(
                replace(module, one, f"{name}_")
                for one in ast.walk(function)
                if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Store)
            )
            yield Fix(parts, 0.1, f"'{name}' of the module is hidden by a variable.")
        owner = module.owner(function)
        first = function.args.args[0].arg if function.args.args else ""
        if (
            owner is not None
            and first
            and any(
                isinstance(one, ast.Attribute) and one.attr == name and isinstance(one.ctx, ast.Store)
                for one in ast.walk(owner)
            )
        ):
            parts = tuple(
                replace(module, one, f"{first}.{name}")
                for one in ast.walk(function)
                if isinstance(one, ast.Name) and one.id == name
            )
            yield Fix(parts, 0.94, f"'{name}' is a member: it needs '{first}.' before it.")


def _here(sight: Sight) -> list[tuple[Module, Function]]:
    found = []
    for module, line in sight.places()[:1]:
        statement = module.statement(line)
        function = None if statement is None else module.function(statement)
        if function is not None:
            found.append((module, function))
    return found


def unset(sight: Sight) -> Iterator[Fix]:
    """A variable that only some ways set: a first value before all of them."""
    name = next(one for one in sight.said.groups() if one)
    for module, function in _here(sight):
        values = _values(function, name)
        line = sight.places()[0][1]
        top = next(
            (
                one
                for one in function.body
                if any(isinstance(part, ast.Name) and part.id == name for part in ast.walk(one))
            ),
            function.body[0],
        )
        for at, value in enumerate(values):
            yield Fix(
                (before(module, top, [f"{name} = {value}"]),),
                max(0.72 - 0.17 * at, 0.05),
                f"'{name}' has no value on some way: it gets one first.",
            )
        near = nearest(name, parameters(function))
        for word, share in near:
            parts = tuple(
                replace(module, one, word)
                for one in module.nodes(line)
                if isinstance(one, ast.Name) and one.id == name and isinstance(one.ctx, ast.Load)
            )
            yield Fix(parts, 0.45 + 0.3 * share, f"'{word}' may be meant.")


def _values(function: Function, name: str) -> list[str]:  # noqa: PLR0911 -- one for each case
    """First values, by what is done with the variable."""
    for node in ast.walk(function):
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == name:
            if isinstance(node.op, ast.Mult):
                return ["1", "0"]
            if isinstance(node.value, (ast.List, ast.ListComp)):
                return ["[]"]
            text = isinstance(node.value, ast.JoinedStr) or (
                isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
            )
            return ["''", "0"] if text else ["0", "''", "[]"]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == name:
            if node.attr in {"append", "extend"}:
                return ["[]"]
            if node.attr == "add":
                return ["set()"]
    kinds = [
        type(node.value.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Constant)
        and any(isinstance(one, ast.Name) and one.id == name for one in node.targets)
    ]
    if bool in kinds:
        return ["False", "None", "True"]
    return ["None", "0", "''", "[]", "False", "-1"]


RULES = (
    Rule(
        name="outer-variable",
        what="A function changes a variable of an outer scope or of its object.",
        before="def step():\n    count += 1",
        after="def step():\n    global count\n    count += 1",
        suggest=outer,
        errors=("UnboundLocalError", "NameError"),
        message=_SAID,
    ),
    Rule(
        name="variable-without-value",
        what="A variable is set on some ways only.",
        before="if a:\n    x = 1\nreturn x",
        after="x = None\nif a:\n    x = 1\nreturn x",
        suggest=unset,
        errors=("UnboundLocalError", "NameError"),
        message=_SAID,
    ),
)
