"""One Python file as its tree and its text together, and what rules ask of it: loops, names, what may change."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
LOOPS = (ast.For, ast.While)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
MUTATING = frozenset({
    "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard", "update", "setdefault",
    "popitem", "appendleft", "popleft", "extendleft", "rotate"})
_MOST_TEXT = 1_000_000


@dataclass(slots=True)
class Source:
    """A file that parses."""

    text: str
    tree: ast.Module
    lines: list[str]
    starts: list[int]
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    def nodes(self, *kinds: type[ast.AST]) -> Iterator[ast.AST]:
        """All of these kinds, as they come in the text's tree."""
        return (node for node in self.parents if isinstance(node, kinds))

    def at(self, line: int, column: int) -> int:
        """The character of a place that the tree names by line and byte."""
        text = self.lines[line - 1]
        return self.starts[line - 1] + (column if text.isascii() else len(text.encode()[:column].decode()))

    def span(self, node: ast.AST) -> tuple[int, int]:
        """From and to which character a node goes."""
        assert isinstance(node, ast.expr | ast.stmt)
        return (self.at(node.lineno, node.col_offset),
                self.at(node.end_lineno or node.lineno, node.end_col_offset or node.col_offset))

    def words(self, node: ast.AST) -> str:
        """The text of a node."""
        begin, end = self.span(node)
        return self.text[begin:end]

    def up(self, node: ast.AST) -> Iterator[ast.AST]:
        """What encloses a node, innermost first."""
        step = self.parents.get(node)
        while step is not None:
            yield step
            step = self.parents.get(step)

    def function(self, node: ast.AST) -> Function | None:
        """The function that a node is in."""
        return next((one for one in self.up(node) if isinstance(one, FUNCTIONS)), None)

    def name_of(self, function: Function) -> str:
        """Its qualified name; functions inside others belong to the outermost one."""
        above = [one for one in self.up(function) if isinstance(one, (*FUNCTIONS, ast.ClassDef))][::-1]
        names: list[str] = []
        for one in (*above, function):
            names.append(one.name)
            if isinstance(one, FUNCTIONS):
                break
        return ".".join(names)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The statement that a node is in, or is."""
        return next(one for one in (node, *self.up(node)) if isinstance(one, ast.stmt))

    def loops(self, node: ast.AST) -> list[ast.AST]:
        """Loops and comprehensions that run a node again and again, outermost first, within its function."""
        found: list[ast.AST] = []
        inner = node
        for one in self.up(node):
            if isinstance(one, (*FUNCTIONS, ast.Lambda, ast.ClassDef)):
                break
            if _repeats(one, inner):
                found.append(one)
            inner = one
        return found[::-1]

    def line_start(self, statement: ast.stmt) -> int:
        """Where the first line of a statement begins, decorators included."""
        first: int = min([statement.lineno, *(one.lineno for one in getattr(statement, "decorator_list", []))])
        return self.starts[first - 1]

    def indent(self, statement: ast.stmt) -> str:
        """What stands before a statement on its line."""
        line = self.lines[statement.lineno - 1]
        return line[:len(line) - len(line.lstrip())]

    def alone(self, statement: ast.stmt) -> bool:
        """Whether a statement has its lines for itself."""
        begin, end = self.span(statement)
        before = self.text[self.starts[statement.lineno - 1]:begin]
        after = self.text[end:].partition("\n")[0].strip()
        return not before.strip() and (not after or after.startswith("#"))

    def fresh(self, name: str, near: ast.AST) -> str:
        """A name like this one that nothing in the function uses."""
        scope = self.function(near) or self.tree
        used = {one.id for one in ast.walk(scope) if isinstance(one, ast.Name)}
        used |= {one.arg for one in ast.walk(scope) if isinstance(one, ast.arg)}
        made = name
        while made in used:
            made += "_"
        return made


def parse(text: str) -> Source | None:
    """The file; None where it is too large, does not parse, or has lines of two kinds."""
    if len(text) > _MOST_TEXT or "\r" in text or "\f" in text:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines, starts = text.split("\n"), [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    source = Source(text=text, tree=tree, lines=lines, starts=starts)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            source.parents[child] = node
    return source


def _repeats(loop: ast.AST, inner: ast.AST) -> bool:
    if isinstance(loop, ast.While):
        return inner not in loop.orelse
    if isinstance(loop, ast.For):
        return inner in loop.body
    # The first iterable of a comprehension is worked out once.
    if isinstance(loop, COMPREHENSIONS):
        return inner is not loop.generators[0]
    return isinstance(loop, ast.comprehension) and inner is not loop.iter


def names_in(node: ast.AST) -> set[str]:
    """Names that are read."""
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}


def stored(*nodes: ast.AST) -> set[str]:
    """Names that get a value anywhere in these."""
    return {one.id for node in nodes for one in ast.walk(node)
            if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)} | {
        name for node in nodes for one in ast.walk(node) if isinstance(one, ast.Global | ast.Nonlocal)
        for name in one.names}


def changed(*nodes: ast.AST) -> set[str]:
    """Names whose value may be another one afterwards: stored, or changed by a method, an item or an attribute."""
    found = stored(*nodes)
    for one in (one for node in nodes for one in ast.walk(node)):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute) and one.func.attr in MUTATING:
            found |= root(one.func.value)
        elif isinstance(one, ast.Subscript | ast.Attribute) and not isinstance(one.ctx, ast.Load):
            found |= root(one.value)
    return found


def root(node: ast.AST) -> set[str]:
    """The name that an attribute or item begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def is_place(node: ast.AST) -> bool:
    """Whether it is a name, or attributes and items of one: what can be read twice alike."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Name | ast.Constant):
            return False
        node = node.value
    return isinstance(node, ast.Name)


def same(one: ast.AST, other: ast.AST) -> bool:
    """Whether two expressions are written alike."""
    return ast.dump(one) == ast.dump(other)


def is_call(node: ast.AST, name: str) -> bool:
    """Whether it calls a function by this plain name."""
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def block_of(source: Source, statement: ast.stmt) -> Sequence[ast.stmt]:
    """The statements among which one stands."""
    above = source.parents[statement]
    for name in ("body", "orelse", "finalbody"):
        block = getattr(above, name, None)
        if isinstance(block, list) and statement in block:
            return block
    return (statement,)
