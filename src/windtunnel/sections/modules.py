"""What ``import`` calls a file of a project, and from which folder."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import PurePosixPath


class Places:
    """Of all files of a project."""

    def __init__(self, paths: Collection[str], imports: Collection[str]) -> None:
        """``imports`` are the dotted names that the project's own files import."""
        self.paths, self.imports = frozenset(paths), frozenset(imports)

    def of(self, path: str) -> tuple[str, str]:
        """The dotted name, and the folder that must be searched for it.

        In this order: below ``src`` its path from there; a package by its outermost ``__init__.py``; the path from the
        project's root where some file imports it by that; else the file alone, as ``python file.py`` would find it.
        """
        parts = PurePosixPath(path).parts
        folders = parts[:-1]
        top = len(folders)
        while top and "/".join((*folders[:top], "__init__.py")) in self.paths:
            top -= 1
        if folders and folders[0] == "src" and "src/__init__.py" not in self.paths:
            top = 1 if top < len(folders) or self._is_imported(parts, 1) else top
        elif top == len(folders) and self._is_imported(parts, 0):
            top = 0
        return _dotted(parts[top:]), "/".join(folders[:top])

    def _is_imported(self, parts: tuple[str, ...], start: int) -> bool:
        name = _dotted(parts[start:])
        return "." in name and any(one == name or one.startswith(f"{name}.") for one in self.imports)


def imported(trees: Iterable[ast.Module]) -> frozenset[str]:
    """Dotted names of all that some files import, with those that may be modules or names in them."""
    found: set[str] = set()
    for tree in trees:
        for node in _statements(tree):
            if isinstance(node, ast.Import):
                found |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(found)


def exported(trees: Mapping[str, ast.Module], places: Places) -> frozenset[tuple[str, str]]:
    """Names that an ``__init__.py`` takes from another module and gives to all, each after that module."""
    found: set[tuple[str, str]] = set()
    for path, tree in trees.items():
        if not path.endswith("__init__.py"):
            continue
        own = places.of(path)[0].split(".")
        for node in _statements(tree):
            if isinstance(node, ast.ImportFrom):
                base = own[:len(own) - node.level + 1] if node.level else []
                module = ".".join([*base, *([node.module] if node.module else [])])
                given = [alias for alias in node.names if not (alias.asname or alias.name).startswith("_")]
                found |= {(module, alias.name) for alias in given}
    return frozenset(found)


def _statements(node: ast.AST) -> Iterator[ast.AST]:
    """All statements below it; expressions hold none."""
    for name in ("body", "orelse", "finalbody", "handlers", "cases"):
        found = getattr(node, name, ())
        for one in found if isinstance(found, list) else ():
            yield one
            yield from _statements(one)


def _dotted(parts: tuple[str, ...]) -> str:
    names = [*parts[:-1], parts[-1].removesuffix(".py")]
    if names[-1] == "__init__" and len(names) > 1:
        names.pop()
    return ".".join(names)
