"""Checks edits: each text once, only what parses, with how natural the edited function reads."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

from windtunnel.repair.search.module import Function, Module
from windtunnel.repair.search.natural import rate
from windtunnel.repair.search.profile import Profile, Profiler, nested
from windtunnel.repair.search.site import Site
from windtunnel.repair.search.splice import Splice


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """The outermost function around an edit, or a statement of the file's top."""

    node: ast.stmt
    low: int
    high: int
    before: Profile
    known: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """The statement that is parsed again: the nearest one around an edit that fills its lines alone."""

    block: list[ast.stmt]
    index: int
    low: int
    high: int
    prefix: str
    fresh: frozenset[int]
    """The identities of the statements around it."""


class Bench:
    """Knows what it saw, and the profiles of all that stays as it is."""

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self._seen: set[tuple[str, int, int]] = set()
        self._regions: dict[tuple[str, int], Region] = {}
        self._slots: dict[int, Slot | None] = {}
        self._profiler = Profiler()

    def rated(self, site: Site, splices: tuple[Splice, ...], *, whole: bool = False) -> float:
        """How natural the edited function is; 0 where it is no Python or was there before.

        Only the statement is parsed again, unless the edit reaches beyond it or ``whole`` says that its form changes.
        """
        region = self._region(site)
        if not splices or any(one.start < region.low or one.end > region.high for one in splices):
            return 0.0
        text = site.module.text.spliced(splices, region.low, region.high)
        key = (site.module.path, region.low, hash(text))
        if key in self._seen:
            return 0.0
        self._seen.add(key)
        slot = None if whole else self._slot(site, region)
        if slot is None or any(one.start < slot.low or one.end > slot.high for one in splices):
            after = self._reparsed(region, site.module, text)
        else:
            after = self._grafted(region, slot, site.module.text.spliced(splices, slot.low, slot.high))
        return 0.0 if after is None else rate(region.before, after, region.known)

    def _reparsed(self, region: Region, module: Module, text: str) -> Profile | None:
        prefix = "class Holder:\n" if module.text.indent(region.node) else ""
        tree = parsed(prefix + text, compiled=True)
        return None if tree is None else self._profiler.of(tree, None)

    def _grafted(self, region: Region, slot: Slot, text: str) -> Profile | None:
        """Put the new statements into the tree, look, and put the old one back."""
        tree = parsed(slot.prefix + text)
        if tree is None:
            return None
        new = tree.body[0].body if slot.prefix and isinstance(tree.body[0], ast.If) else tree.body
        tried = frozenset(id(node) for one in new for node in nested(one))
        old = slot.block[slot.index]
        slot.block[slot.index : slot.index + 1] = new
        try:
            return self._profiler.of(region.node, slot.fresh | tried)
        finally:
            self._profiler.forget(tried)
            slot.block[slot.index : slot.index + len(new)] = [old]

    def _region(self, site: Site) -> Region:
        function = site.function
        while function is not None and function.outer is not None:
            function = function.outer
        node = function.node if function else site.statement
        key = (site.module.path, node.lineno)
        if key not in self._regions:
            self._regions[key] = self._bounded(site.module, function, node)
        return self._regions[key]

    def _bounded(self, module: Module, function: Function | None, node: ast.stmt) -> Region:
        text = module.text
        first = next(iter(getattr(node, "decorator_list", ())), node)
        low, high = text.line_start(text.span(first)[0]), text.line_end(text.span(node)[1])
        names = {*module.names, "__class__", *(function.uses if function else ())}
        self._seen.add((module.path, low, hash(text.spliced((), low, high))))
        return Region(node, low, high, self._profiler.of(node), frozenset(names))

    def _slot(self, site: Site, region: Region) -> Slot | None:
        if id(site.statement) not in self._slots:
            self._slots[id(site.statement)] = _slot(site, region)
        return self._slots[id(site.statement)]


def _slot(site: Site, region: Region) -> Slot | None:
    """The slot of a statement; None where only the whole region can be parsed."""
    text, statement = site.module.text, site.statement
    if (
        isinstance(region.node, ast.AsyncFunctionDef)
        or statement is region.node
        or isinstance(statement, ast.FunctionDef)
    ):
        return None
    indent = text.indent(statement)
    low, high = text.line_start(text.span(statement)[0]), text.line_end(text.span(statement)[1])
    prefix = "if 1:\n" if indent else ""
    alone = parsed(prefix + text.data[low:high].decode()) if not indent.strip() else None
    if alone is None or len(alone.body[0].body if prefix and isinstance(alone.body[0], ast.If) else alone.body) != 1:
        return None
    around, node = set(), site.parent(statement)
    while node is not None and node is not region.node:
        around.add(id(node))
        node = site.parent(node)
    return Slot(site.block, site.index, low, high, prefix, frozenset({*around, id(region.node)}))


def parsed(text: str, *, compiled: bool = False) -> ast.Module | None:
    """The tree of a text; None where it is no Python."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(text)
            if compiled:
                compile(tree, "<edit>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
    return tree
