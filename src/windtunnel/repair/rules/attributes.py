"""Members that a value does not have: misspelt, of another type, of another version, or never set."""

from __future__ import annotations

import ast
import builtins
import importlib
import re
from collections import deque
from collections.abc import Iterator

from windtunnel.repair.rules.base import Fix, Rule, Sight, nearest, replace, wrap
from windtunnel.repair.rules.imports import renamed, top_names
from windtunnel.repair.rules.libraries import HOMES, METHODS, MODULES, MOVED, SUBMODULES
from windtunnel.repair.rules.module import Module
from windtunnel.repair.rules.placing import dotted, imported

OBJECT = re.compile(r"'([\w.]+)' object has no attribute '(\w+)'")
_MODULE = re.compile(r"module '([\w.]+)' has no attribute '(\w+)'")
_SAFE = frozenset(
    {
        "math",
        "os",
        "string",
        "json",
        "re",
        "random",
        "itertools",
        "functools",
        "collections",
        "time",
        "datetime",
        "statistics",
        "operator",
        "textwrap",
        "shutil",
        "copy",
        "heapq",
        "bisect",
        "sys",
        "os.path",
        "posixpath",
    }
)
"""Modules whose names are looked up by importing them here: all are loaded in any process anyway."""
TYPES: dict[str, type] = {
    "deque": deque,
    **{name: value for name, value in vars(builtins).items() if isinstance(value, type)},
}


def uses(sight: Sight, name: str) -> list[tuple[Module, ast.Attribute]]:
    """Where the line of the error has the attribute."""
    found: list[tuple[Module, ast.Attribute]] = []
    for module, line in sight.places()[:1]:
        found = [(module, node) for node in module.nodes(line) if isinstance(node, ast.Attribute) and node.attr == name]
    return found


def renamed_attribute(module: Module, node: ast.Attribute, name: str) -> tuple[str, int, int, str]:
    """An attribute under another name."""
    end = module.span(node)[1]
    return (module.path, end - len(node.attr), end, name)


def builtin_members(sight: Sight) -> Iterator[Fix]:  # noqa: C901 -- one branch for each case
    """A method of a builtin type that is misspelt or is another type's."""
    kind, name = sight.said[1].rpartition(".")[2], sight.said[2]
    for module, node in uses(sight, name):
        call = module.parents.get(node)
        meant = METHODS.get((kind, name))
        if meant:
            yield Fix((renamed_attribute(module, node, meant),), 0.93, f"A {kind} has '{meant}', not '{name}'.")
        if kind in TYPES:
            for word, share in nearest(name, [one for one in dir(TYPES[kind]) if not one.startswith("__")]):
                yield Fix(
                    (renamed_attribute(module, node, word),),
                    0.5 + 0.45 * share,
                    f"'{name}' is misspelt: a {kind} has '{word}'.",
                )
        value = module.source(node.value)
        whole: ast.AST = call if isinstance(call, ast.Call) and call.func is node else node
        arguments = call.args if isinstance(call, ast.Call) and call.func is node else []
        if name in {"length", "size", "len", "count"} and not arguments:
            yield Fix((replace(module, whole, f"len({value})"),), 0.93, f"The length of a {kind} is len(…).")
        if name in {"has_key", "contains", "includes", "include"} and len(arguments) == 1:
            yield Fix(
                (replace(module, whole, f"({module.source(arguments[0])} in {value})"),),
                0.93,
                "Whether something is inside is asked with 'in'.",
            )
        if (kind == "str" and name == "decode") or (kind == "bytes" and name == "encode"):
            yield Fix((replace(module, whole, value),), 0.8, f"It is {kind} already.")
        if kind == "dict" and not arguments and not isinstance(node.ctx, ast.Del):
            yield Fix(
                (replace(module, node, f'{value}["{name}"]'),),
                0.62,
                f"'{name}' is a key of a dictionary, not a member.",
            )
        if kind in {"tuple", "generator", "map", "filter", "zip", "dict_keys", "dict_values"} and hasattr(list, name):
            yield from _as_list(module, node, kind=kind)
        if kind in {"function", "method", "builtin_function_or_method"}:
            yield Fix((replace(module, node.value, f"{value}()"),), 0.85, f"{value} is a function that is not called.")
        if kind == "list" and hasattr(str, name) and not hasattr(list, name):
            yield Fix(
                (
                    replace(
                        module,
                        whole,
                        f"[item.{name}({', '.join(module.source(one) for one in arguments)}) for item in {value}]",
                    ),
                ),
                0.35,
                f"'{name}' is asked of each item.",
            )
        if kind in {"int", "float"} and hasattr(str, name):
            yield Fix((wrap(module, node.value, "str"),), 0.6, f"'{name}' is a text's: the number is made text.")


def _as_list(module: Module, node: ast.Attribute, *, kind: str) -> Iterator[Fix]:
    """The value made a list where it comes from."""
    source = given(module, node.value)
    if source is not None:
        text = module.source(source)
        if isinstance(source, ast.Tuple):
            inner = ", ".join(module.source(one) for one in source.elts)
            yield Fix((replace(module, source, f"[{inner}]"),), 0.8, "A tuple does not change: a list does.")
        else:
            yield Fix(
                (wrap(module, source, "list"),), 0.75, f"A {kind} has no '{node.attr}': {text[:40]} is made a list."
            )


def given(module: Module, node: ast.AST) -> ast.expr | None:
    """What a name was last given in its function before a node; for no name, the node itself."""
    if not isinstance(node, ast.Name):
        return node if isinstance(node, ast.expr) else None
    scope = module.function(node) or module.tree
    best: ast.expr | None = None
    for statement in ast.walk(scope):
        if (
            isinstance(statement, ast.Assign)
            and statement.lineno <= node.lineno
            and any(isinstance(target, ast.Name) and target.id == node.id for target in statement.targets)
        ):
            if best is None or statement.value.lineno >= best.lineno:
                best = statement.value
        elif (
            isinstance(statement, ast.AnnAssign)
            and statement.value is not None
            and isinstance(statement.target, ast.Name)
            and statement.target.id == node.id
            and statement.lineno <= node.lineno
        ):
            best = statement.value
    return best


def module_members(sight: Sight) -> Iterator[Fix]:  # noqa: C901 -- one branch for each case
    """A name that a module does not have: moved, misspelt, or a part of it that must be imported."""
    home, name = sight.said[1], sight.said[2]
    here = uses(sight, name)
    for module, node in here:
        target = MOVED.get((home, name))
        if target is not None and target[0] == home:
            yield Fix((renamed_attribute(module, node, target[1]),), 0.92, f"'{name}' is called '{target[1]}' now.")
        elif target is not None and target[0] == "builtins":
            yield Fix((replace(module, node, target[1]),), 0.9, f"'{name}' is the builtin {target[1]}.")
        elif target is not None:
            yield Fix(
                (replace(module, node, f"{target[0]}.{target[1]}"), imported(module, f"import {target[0]}")),
                0.92,
                f"'{name}' is in {target[0]} now.",
            )
        if f"{home}.{name}" in SUBMODULES:
            yield Fix((imported(module, f"import {home}.{name}"),), 0.92, f"{home}.{name} must be imported itself.")
        if home == "datetime":
            yield Fix(
                (replace(module, node.value, f"{module.source(node.value)}.datetime"),),
                0.8,
                f"'{name}' is of the class datetime in the module datetime.",
            )
        if home in _SAFE:
            for word, share in nearest(
                name, [one for one in dir(importlib.import_module(home)) if not one.startswith("_")]
            ):
                yield Fix(
                    (renamed_attribute(module, node, word),),
                    0.48 + 0.42 * share,
                    f"'{name}' is misspelt: {home} has '{word}'.",
                )
        if hasattr(builtins, name):
            yield Fix((replace(module, node, name),), 0.6, f"'{name}' is a builtin.")
        if name in HOMES and home in MODULES and HOMES[name] != home:
            yield Fix(
                (replace(module, node, name), imported(module, f"from {HOMES[name]} import {name}")),
                0.6,
                f"'{name}' is in {HOMES[name]}.",
            )
    for module in sight.project.modules():
        if dotted(module.path) == home or dotted(module.path).endswith(f".{home}"):
            yield from _in_project(module, name, here=here)


def _in_project(module: Module, name: str, *, here: list[tuple[Module, ast.Attribute]]) -> Iterator[Fix]:
    for word, share in nearest(name, top_names(module)):
        for user, node in here:
            yield Fix(
                (renamed_attribute(user, node, word),),
                0.5 + 0.4 * share,
                f"'{name}' is misspelt: {module.path} has '{word}'.",
            )
        if not here:
            yield Fix(
                tuple(renamed(module, word, name)),
                0.4 + 0.45 * share,
                f"'{word}' of {module.path} is asked for as '{name}'.",
            )


RULES = (
    Rule(
        name="method-of-a-builtin",
        what="A method of a builtin type is misspelt or is another type's.",
        before="seen = set()\nseen.append(1)",
        after="seen = set()\nseen.add(1)",
        suggest=builtin_members,
        errors=("AttributeError",),
        message=OBJECT,
    ),
    Rule(
        name="module-attribute",
        what="A module does not have the name: it was moved, is misspelt, or is a part to import.",
        before="time.clock()",
        after="time.perf_counter()",
        suggest=module_members,
        errors=("AttributeError",),
        message=_MODULE,
    ),
)
