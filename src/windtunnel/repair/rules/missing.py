"""Habits that tests find out: a default that is shared, a comparison by identity, a loop that gives up at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Part, Rule, Sight, before, replace, start_of
from windtunnel.repair.rules.module import Module

_ANY = re.compile("")
_STOPPED = re.compile(r"generator raised StopIteration|^$")


def mutable_defaults(sight: Sight) -> Iterator[Fix]:
    """A list, dictionary or set as a default, which all calls share."""
    for module, function in sight.suspects():
        plain = [*function.args.posonlyargs, *function.args.args]
        pairs = [
            *zip(plain[len(plain) - len(function.args.defaults) :], function.args.defaults, strict=True),
            *(
                (one, value)
                for one, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
                if value is not None
            ),
        ]
        parts: list[Part] = []
        lines: list[str] = []
        for one, value in pairs:
            if isinstance(value, (ast.List, ast.Dict, ast.Set)) or (
                isinstance(value, ast.Call) and getattr(value.func, "id", "") in {"list", "dict", "set"}
            ):
                parts.append(replace(module, value, "None"))
                lines += [f"if {one.arg} is None:", f"    {one.arg} = {module.source(value)}"]
        if parts:
            yield Fix(
                (*parts, before(module, start_of(function), lines)),
                0.85,
                f"All calls of {function.name} share one default.",
            )


def identities(sight: Sight) -> Iterator[Fix]:
    """``is`` between values that are written out."""
    for module, function in sight.suspects():
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Compare)
                and isinstance(node.ops[0], (ast.Is, ast.IsNot))
                and _plain(node.comparators[0], node.left)
            ):
                sign = "==" if isinstance(node.ops[0], ast.Is) else "!="
                yield Fix((_sign(module, node, sign),), 0.85, "Values are compared with ==, not by identity.")


def _plain(*nodes: ast.AST) -> bool:
    return any(
        isinstance(node, (ast.List, ast.Dict, ast.Tuple))
        or (isinstance(node, ast.Constant) and not isinstance(node.value, bool) and node.value is not None)
        for node in nodes
    )


def _sign(module: Module, node: ast.Compare, sign: str) -> Part:
    return (module.path, module.span(node.left)[1], module.span(node.comparators[0])[0], f" {sign} ")


def stopped(sight: Sight) -> Iterator[Fix]:
    """A generator that ends by an error: it returns."""
    for module, line in sight.places():
        statement = module.statement(line)
        if isinstance(statement, ast.Raise):
            yield Fix((replace(module, statement, "return"),), 0.92, "A generator ends by return.")
        for node in module.nodes(line):
            if (
                isinstance(node, ast.Call)
                and getattr(node.func, "id", "") == "next"
                and len(node.args) == 1
                and statement is not None
                and "\n" not in module.source(statement)
            ):
                indent = module.indent(statement)
                yield Fix(
                    (
                        replace(
                            module,
                            statement,
                            f"try:\n{indent}    {module.source(statement)}\n"
                            f"{indent}except StopIteration:\n{indent}    return",
                        ),
                    ),
                    0.85,
                    "The end of what is read ends the generator.",
                )


RULES = (
    Rule(
        name="mutable-default",
        what="A default that changes is shared by all calls.",
        before="def add(x, to=[]):\n    to.append(x)",
        after="def add(x, to=None):\n    if to is None:\n        to = []\n    to.append(x)",
        suggest=mutable_defaults,
        errors=("AssertionError",),
        message=_ANY,
    ),
    Rule(
        name="identity",
        what="Values that are written out are compared by identity.",
        before="if name is 'x':",
        after="if name == 'x':",
        suggest=identities,
        errors=("AssertionError", "Failed"),
        message=_ANY,
    ),
    Rule(
        name="generator-end",
        what="A generator ends by an error.",
        before="raise StopIteration",
        after="return",
        suggest=stopped,
        errors=("RuntimeError", "StopIteration"),
        message=_STOPPED,
    ),
)
