"""A Python file as the search sees it: its tree, its functions, what they name, and what must be left alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from windtunnel.repair.search.precedence import ATOM, OPERATORS, binding
from windtunnel.repair.search.shapes import Definition, assigned, blocks, parameters
from windtunnel.repair.search.splice import Text
from windtunnel.repair.search.types import Types, infer

_LARGEST = 2_000_000
_ATTRIBUTES, _MODULI, _TAILS, _TAIL = 60, 6, 12, 30
_QUIET = frozenset({"__repr__", "__str_debug__"})


@dataclass(frozen=True, eq=False)
class Function:
    """One function with the names that its statements can use."""

    node: Definition
    outer: Function | None
    owner: ast.ClassDef | None
    types: Mapping[str, frozenset[str]]

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """All of them, in order."""
        return parameters(self.node)

    @cached_property
    def locals(self) -> tuple[str, ...]:
        """Parameters and every name that a statement gives a value, in the order of the text."""
        own = assigned(self.node)
        above = self.outer.locals if self.outer else ()
        return tuple(dict.fromkeys((*self.parameters, *own, *above)))

    @cached_property
    def statements(self) -> tuple[ast.stmt, ...]:
        """Its own, those of functions inside it left out."""
        return tuple(one for block in blocks(self.node) for one in block)

    @cached_property
    def uses(self) -> Mapping[str, int]:
        """How often each name is read."""
        counted: dict[str, int] = {}
        for node in ast.walk(self.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                counted[node.id] = counted.get(node.id, 0) + 1
        return counted

    @cached_property
    def bound(self) -> Mapping[str, int]:
        """The first line at which each local has a value; parameters from the start."""
        found = dict.fromkeys(self.parameters, 0)
        for node in ast.walk(self.node):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                found[node.id] = min(found.get(node.id, node.lineno), node.lineno)
        return found


@dataclass(eq=False)
class Module:
    """One file, parsed once."""

    path: str
    text: Text
    tree: ast.Module
    seen: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    hints: tuple[str, ...] = ()
    """Constants that the tests use, as written: late guesses, since they may be special cases."""

    _tails: dict[ast.AST, Mapping[tuple[str, str], int]] = field(default_factory=dict)

    @cached_property
    def parents(self) -> dict[ast.AST, ast.AST]:
        """The node above each node."""
        return {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    @cached_property
    def functions(self) -> tuple[Function, ...]:
        """All of the file, outer ones first; those that are for people's eyes only left out."""
        return tuple(self._functions(self.tree, None, None))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What the file defines or imports at its top, in order."""
        return tuple(dict.fromkeys(assigned(self.tree)))

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """The functions at the top of the file."""
        return {node.name: node for node in self.tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}

    @cached_property
    def constants(self) -> Mapping[str, int]:
        """Numbers and short strings of the code, as written, with how often; no docstrings."""
        counted: dict[str, int] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                counted[repr(node.value.value)] = counted.get(repr(node.value.value), 0) - 1
            elif isinstance(node, ast.Constant) and isinstance(node.value, int | float | str):
                counted[repr(node.value)] = counted.get(repr(node.value), 0) + 1
        return {text: count for text, count in counted.items() if count > 0 and len(text) <= 40}  # noqa: PLR2004 -- longer ones are prose

    @cached_property
    def attributes(self) -> Mapping[str, int]:
        """Attributes read or written in the file that are not called, with how often."""
        counted: dict[str, int] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute) and not self.is_called(node):
                counted[node.attr] = counted.get(node.attr, 0) + 1
        return dict(sorted(counted.items(), key=lambda one: -one[1])[:_ATTRIBUTES])

    @cached_property
    def moduli(self) -> tuple[str, ...]:
        """What the file takes remainders by, as written; a few."""
        found = (
            self.text.segment(node.right)
            for node in ast.walk(self.tree)
            if isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Mod)
            and not isinstance(node.right, ast.Tuple | ast.Dict)
            and not isinstance(node.left, ast.Constant | ast.JoinedStr)
        )
        return tuple(dict.fromkeys(found))[:_MODULI]

    def tails(self, scope: ast.AST) -> Mapping[tuple[str, str], int]:
        """Operators with what follows them, as a function or class has them, with how often; a few."""
        if scope not in self._tails:
            found: dict[tuple[str, str], int] = {}
            for node in ast.walk(scope):
                if isinstance(node, ast.BinOp) and binding(node.right) >= ATOM and not isinstance(node.right, ast.Name):
                    key = OPERATORS[type(node.op)][0], self.text.segment(node.right)
                    if len(key[1]) < _TAIL:
                        found[key] = found.get(key, 0) + 1
            self._tails[scope] = dict(list(found.items())[:_TAILS])
        return self._tails[scope]

    def is_called(self, node: ast.AST) -> bool:
        """Whether a node is what a call calls."""
        parent = self.parents.get(node)
        return isinstance(parent, ast.Call) and parent.func is node

    def _functions(self, node: ast.AST, outer: Function | None, owner: ast.ClassDef | None) -> Iterator[Function]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if child.name not in _QUIET:
                    one = Function(child, outer, owner, self._types(child, outer))
                    yield one
                    yield from self._functions(child, one, None)
            elif isinstance(child, ast.ClassDef):
                yield from self._functions(child, outer, child)
            elif isinstance(child, ast.stmt | ast.excepthandler):
                yield from self._functions(child, outer, owner)

    def _types(self, node: Definition, outer: Function | None) -> Types:
        above = outer.types if outer else {}
        line = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        seen = self.seen.get(f"{self.path}:{node.lineno}") or self.seen.get(f"{self.path}:{line}") or {}
        return {**above, **infer(node, seen)}


def load(
    path: str, text: str | None, *, seen: Mapping[str, Mapping[str, tuple[str, ...]]], hints: tuple[str, ...] = ()
) -> Module | None:
    """A file of the project; None where it is no Python that this Python can read."""
    if text is None or len(text) > _LARGEST:
        return None
    try:
        return Module(path, Text(text), ast.parse(text.removeprefix("\ufeff")), seen, hints)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
