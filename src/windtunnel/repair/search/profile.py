"""What counts of a piece of code, put together from its statements so that only what changed is looked at again."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from windtunnel.repair.search.mirror import mirrored, symmetries
from windtunnel.repair.search.oddities import alike, oddities
from windtunnel.repair.search.shapes import ENDS

_INNER = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(slots=True)
class Profile:
    """The sum of what its parts say."""

    loaded: set[str] = field(default_factory=set)
    stored: set[str] = field(default_factory=set)
    parameters: set[str] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    """Names whose items or attributes are used, which may change what they hold."""
    oddities: dict[str, int] = field(default_factory=dict)
    symmetries: int = 0
    calls: bool = False
    leaves: bool = False
    """Whether a break, return, raise or yield is inside."""
    goes_on: bool = False
    """Whether a continue is inside."""

    def add(self, other: Profile) -> None:
        """Take another one in."""
        self.loaded |= other.loaded
        self.stored |= other.stored
        self.parameters |= other.parameters
        self.touched |= other.touched
        for name, count in other.oddities.items():
            self.oddities[name] = self.oddities.get(name, 0) + count
        self.symmetries += other.symmetries
        self.calls |= other.calls
        self.leaves |= other.leaves
        self.goes_on |= other.goes_on

    def odd(self, name: str) -> None:
        """Count an oddity."""
        self.oddities[name] = self.oddities.get(name, 0) + 1


class Profiler:
    """Profiles of statements, each made once; statements that are only tried are never kept."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._known: dict[int, Profile] = {}
        self._heads: dict[int, Profile] = {}
        self._pairs: dict[tuple[int, int], tuple[str, ...]] = {}

    def forget(self, tried: frozenset[int]) -> None:
        """Let go of statements that will not live on: others may get their identities."""
        for one in tried:
            self._heads.pop(one, None)

    def of(self, node: ast.AST, fresh: frozenset[int] | None = frozenset()) -> Profile:
        """The profile of a statement; ``fresh`` are the identities of those not to remember, None for all."""
        if fresh is None or id(node) in fresh:
            return self._made(node, fresh)
        found = self._known.get(id(node))
        if found is None:
            found = self._known[id(node)] = self._made(node, fresh)
        return found

    def _made(self, node: ast.AST, fresh: frozenset[int] | None) -> Profile:
        found = Profile()
        bodies = [block for name in _INNER if isinstance(block := getattr(node, name, None), list)]
        found.add(self._head(node, fresh))
        inside = Profile()
        for block in bodies:
            inside.add(self._block(block, fresh))
        found.add(inside)
        if isinstance(node, ast.While | ast.For):
            _loop(node, inside, found)
        elif isinstance(node, ast.If) and len(node.orelse) == len(node.body):
            found.symmetries += sum(map(mirrored, node.body, node.orelse))
        return found

    def _head(self, node: ast.AST, fresh: frozenset[int] | None) -> Profile:
        if fresh is None or id(node) not in self._heads:
            made = _head(node)
            if fresh is None or (id(node) in fresh and not hasattr(node, "body")):
                return made
            self._heads[id(node)] = made
        return self._heads[id(node)]

    def _block(self, block: Sequence[ast.AST], fresh: frozenset[int] | None) -> Profile:
        found = Profile()
        for one in block:
            found.add(self.of(one, fresh))
        for first, second in pairwise(block):
            for oddity in self._pair(first, second, fresh):
                if oddity == "mirrored":
                    found.symmetries += 1
                else:
                    found.odd(oddity)
        if block and isinstance(block[-1], ast.Pass):
            found.odd("useless pass")
        return found

    def _pair(self, first: ast.AST, second: ast.AST, fresh: frozenset[int] | None) -> tuple[str, ...]:
        if fresh is None or id(first) in fresh or id(second) in fresh:
            return tuple(_neighbours(first, second))
        key = (id(first), id(second))
        if key not in self._pairs:
            self._pairs[key] = tuple(_neighbours(first, second))
        return self._pairs[key]


def nested(node: ast.AST) -> Iterator[ast.AST]:
    """A statement and all statements inside it."""
    yield node
    for name in _INNER:
        block = getattr(node, name, None)
        if isinstance(block, list):
            for one in block:
                yield from nested(one)


def _head(node: ast.AST) -> Profile:
    """Of a node without the statements inside it."""
    found = Profile()
    waiting: list[ast.AST] = [node]
    for one in waiting:
        _note(one, found)
        for name in one._fields:
            value = getattr(one, name, None)
            if isinstance(value, ast.AST):
                waiting.append(value)
            elif isinstance(value, list) and not (one is node and name in _INNER):
                waiting.extend(part for part in value if isinstance(part, ast.AST))
    return found


def _note(node: ast.AST, found: Profile) -> None:  # noqa: C901 -- one for each sort of node
    if isinstance(node, ast.Name):
        (found.loaded if isinstance(node.ctx, ast.Load) else found.stored).add(node.id)
        return
    if isinstance(node, ast.expr_context | ast.operator | ast.cmpop):
        return
    if isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node.value, ast.Name):
            found.touched.add(node.value.id)
    elif isinstance(node, ast.arg):
        found.parameters.add(node.arg)
    elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        found.stored.add(node.name)
    elif isinstance(node, ast.Break | ast.Return | ast.Raise | ast.Yield):
        found.leaves = True
    elif isinstance(node, ast.Continue):
        found.goes_on = True
    elif isinstance(node, ast.Call):
        found.calls = True
    for oddity in oddities(node):
        found.odd(oddity)
    found.symmetries += symmetries(node)


def _neighbours(first: ast.AST, second: ast.AST) -> Iterator[str]:
    if isinstance(first, ENDS):
        yield "unreachable"
    if first.__class__ is second.__class__:
        if alike(first, second):
            yield "repeated"
        elif isinstance(first, ast.Assign) and isinstance(second, ast.Assign) and alike(first.targets, second.targets):
            yield from () if _reads(second.value, first.targets[0]) else ("repeated",)
        elif mirrored(first, second):
            yield "mirrored"


def _reads(value: ast.expr, target: ast.expr) -> bool:
    return any(alike(one, target) for one in ast.walk(value) if isinstance(one, ast.expr))


def _loop(node: ast.While | ast.For, inside: Profile, found: Profile) -> None:
    """A loop that never ends, one that ends at its first turn, one whose variable is given other values."""
    if isinstance(node.body[-1], ast.Break | ast.Return) and not inside.goes_on:
        found.odd("loop once")
    if isinstance(node, ast.While):
        asked = [one for one in ast.walk(node.test) if isinstance(one, ast.Name | ast.Call)]
        names = {one.id for one in asked if isinstance(one, ast.Name)}
        called = inside.calls and any(isinstance(one, ast.Call) for one in asked)
        if not inside.leaves and not called and not names & (inside.stored | inside.touched):
            found.odd("endless")
    else:
        own = {one.id for one in ast.walk(node.target) if isinstance(one, ast.Name)}
        for _ in own & inside.stored:
            found.odd("loop variable changed")
