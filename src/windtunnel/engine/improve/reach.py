"""What of a function reaches beyond its values: files, processes, other modules, the inside of objects.

What holds: everything is named by which a function directly gets at these, with the names that its file imports, for
all but a few modules of the standard library that work on values alone. What does not hold: a function may call others
of its project that do so; a list of names is no wall, which is why all of it runs in sandboxes and is read by people.
"""

from __future__ import annotations

import ast
import importlib
import re
import types
from collections.abc import Iterator, Mapping

PURE = frozenset({
    "__future__", "array", "bisect", "collections", "collections.abc", "decimal", "fractions", "functools", "heapq",
    "itertools", "math", "operator", "re", "statistics", "string", "struct", "typing"})
"""Modules that work on values alone."""
_NAMES = frozenset({
    "__import__", "breakpoint", "compile", "delattr", "eval", "exec", "exit", "getattr", "globals", "input", "locals",
    "open", "quit", "setattr", "vars"})
_INDIRECT = frozenset({"attrgetter", "get_type_hints", "methodcaller"})
"""Of the pure modules: what gets at attributes, or runs text, by another name."""
_INNER = re.compile(r"__\w+__")


def imports_of(tree: ast.AST) -> dict[str, str]:
    """By the name that it is bound to: the module (``os``), or what is taken from one (``os.path:join``)."""
    return {name: what for node in ast.walk(tree) for name, what in _imported(node)}


def reach_of(function: ast.AST, imports: Mapping[str, str]) -> set[str]:
    """All of it, in words; ``imports`` are those of its file."""
    bases = {id(node.value): node.attr for node in ast.walk(function) if isinstance(node, ast.Attribute)}
    found = set[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Attribute) and (_INNER.fullmatch(node.attr) or node.attr in _INDIRECT):
            found.add(node.attr)
        elif isinstance(node, ast.Name) and node.id in imports:
            found |= _used(imports[node.id], bases.get(id(node)))
        elif isinstance(node, ast.Name) and (node.id in _NAMES or _INNER.fullmatch(node.id)):
            found.add(node.id)
        for _, what in _imported(node):
            found |= _brought(what)
    return found


def reach_of_imports(imports: Mapping[str, str]) -> set[str]:
    """What importing these reaches."""
    return {one for what in imports.values() for one in _brought(what)}


def _used(what: str, attribute: str | None) -> set[str]:
    """A name that an import bound: a part of a module, or the module itself as a value."""
    if ":" in what:
        return _brought(what)
    if attribute is None:
        return {f"{what} itself"}
    return _brought(f"{what}:{attribute}")


def _brought(what: str) -> set[str]:
    module, _, name = what.partition(":")
    if module not in PURE:
        return {f"import {what.replace(':', '.')}"}
    return set() if not name or _is_public(module, name) else {f"import {module}.{name}"}


def _is_public(module: str, name: str) -> bool:
    """Whether a pure module offers it to everybody by its name, and it is no other module that happens to be there."""
    held = getattr(importlib.import_module(module), name, None)
    return name.isidentifier() and not name.startswith("_") and name not in _INDIRECT and not isinstance(
        held, types.ModuleType)


def _imported(node: ast.AST) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        yield from ((one.asname or one.name.partition(".")[0], one.name) for one in node.names)
    elif isinstance(node, ast.ImportFrom):
        module = "." * node.level + (node.module or "")
        yield from ((one.asname or one.name, f"{module}:{one.name}") for one in node.names)
