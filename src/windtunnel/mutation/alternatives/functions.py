"""The functions that a change touches, as they were and as they are."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

Function = ast.FunctionDef | ast.AsyncFunctionDef
_HOLDERS = (ast.If, ast.Try, ast.With)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """An outermost function or method; what is nested in it belongs to it."""

    path: str
    name: str
    classes: tuple[str, ...]
    """Around it, the outermost first."""
    line: int
    """Of its first decorator, or its own, after the change."""
    before: Function | None
    """None for one that the change adds."""
    after: Function
    changed: bool
    """False for one that only uses something that changed."""

    @property
    def qualified(self) -> str:
        """As people name it."""
        return ".".join((*self.classes, self.name))


def changed_functions(path: str, before: ast.Module, after: ast.Module) -> list[Target]:
    """Functions whose code differs, in the order of the file; those that are new too."""
    old = _by_name(before)
    found = []
    for key, function in _by_name(after).items():
        earlier = old.get(key)
        if earlier is None or text(earlier) != text(function):
            found.append(_target(path, key, earlier, after=function, changed=True))
    return found


def changed_names(path: str, before: ast.Module, after: ast.Module) -> list[Target]:
    """Functions that are as before, and use a name of their module that is set otherwise."""
    old, new = _assignments(before), _assignments(after)
    differing = {name: node for name, node in old.items() if name in new and ast.dump(new[name]) != ast.dump(node)}
    users = []
    for key, function in _by_name(after).items():
        used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
        earlier = _by_name(before).get(key)
        if used & set(differing) and earlier is not None and text(earlier) == text(function):
            users.append(_target(path, key, earlier, after=function, changed=False))
    return users


def text(function: Function) -> str:
    """The function alone, without decorators, annotations and documentation, as it can be compiled anywhere."""
    bare = copy.deepcopy(function)
    bare.decorator_list, bare.returns = [], None
    for node in ast.walk(bare):
        if isinstance(node, ast.arg):
            node.annotation = None
    if ast.get_docstring(bare, clean=False) is not None:
        bare.body = bare.body[1:] or [ast.Pass()]
    return ast.unparse(ast.fix_missing_locations(bare))


def bare(function: Function) -> Function:
    """The same as a tree of its own, which may be changed."""
    made = ast.parse(text(function)).body[0]
    if not isinstance(made, ast.FunctionDef | ast.AsyncFunctionDef):
        raise TypeError(type(made).__name__)
    return made


def _target(path: str, key: tuple[str, ...], before: Function | None, *, after: Function, changed: bool) -> Target:
    line = min([after.lineno, *(one.lineno for one in after.decorator_list)])
    return Target(path=path, name=key[-1], classes=key[:-1], line=line, before=before, after=after, changed=changed)


def _by_name(tree: ast.Module) -> Mapping[tuple[str, ...], Function]:
    """Of two with the same name the last one, which is the one that stays."""
    return dict(_functions(tree.body, ()))


def _functions(body: Sequence[ast.stmt], around: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Function]]:
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield (*around, node.name), node
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node.body, (*around, node.name))
        elif isinstance(node, _HOLDERS):
            rest = [*node.body, *getattr(node, "orelse", ()), *getattr(node, "finalbody", ())]
            rest += [each for handler in getattr(node, "handlers", ()) for each in handler.body]
            yield from _functions(rest, around)


def _assignments(tree: ast.Module) -> dict[str, ast.stmt]:
    found: dict[str, ast.stmt] = {}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(
            node, ast.AnnAssign) and node.value is not None else []
        for target in targets:
            if isinstance(target, ast.Name):
                found[target.id] = node
    return found
