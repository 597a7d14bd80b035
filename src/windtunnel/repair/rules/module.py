"""One Python file as its tree and its text together: where a node stands, what encloses it, which names are there."""

from __future__ import annotations

import ast
import builtins
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_MOST_TEXT = 1_000_000
BUILTINS = frozenset(dir(builtins))


@dataclass(slots=True)
class Module:
    """A file that parses."""

    path: str
    text: str
    tree: ast.Module
    lines: list[str]
    starts: list[int]
    """Where each line begins, in characters."""
    parents: dict[ast.AST, ast.AST] = field(default_factory=dict)

    def at(self, line: int, column: int) -> int:
        """The character of a place that the tree names by line and byte."""
        if not 0 < line <= len(self.lines):
            return len(self.text)
        text = self.lines[line - 1]
        return self.starts[line - 1] + (
            column if text.isascii() else len(text.encode()[:column].decode("utf-8", "ignore"))
        )

    def span(self, node: ast.AST) -> tuple[int, int]:
        """From and to which character a node goes."""
        place = node
        return (
            self.at(getattr(place, "lineno", 1), getattr(place, "col_offset", 0)),
            self.at(getattr(place, "end_lineno", 1) or 1, getattr(place, "end_col_offset", 0) or 0),
        )

    def source(self, node: ast.AST) -> str:
        """The text of a node."""
        start, end = self.span(node)
        return self.text[start:end]

    def up(self, node: ast.AST) -> Iterator[ast.AST]:
        """What encloses a node, innermost first."""
        step = self.parents.get(node)
        while step is not None:
            yield step
            step = self.parents.get(step)

    def function(self, node: ast.AST) -> Function | None:
        """The function that a node is in."""
        return next((one for one in self.up(node) if isinstance(one, FUNCTIONS)), None)

    def owner(self, node: ast.AST) -> ast.ClassDef | None:
        """The class that a node is in."""
        return next((one for one in self.up(node) if isinstance(one, ast.ClassDef)), None)

    def statement(self, line: int) -> ast.stmt | None:
        """The innermost statement that has a line."""
        best: ast.stmt | None = None
        for node in self.parents:
            if (
                isinstance(node, ast.stmt)
                and node.lineno <= line <= (node.end_lineno or node.lineno)
                and (
                    best is None
                    or node.lineno > best.lineno
                    or (node.lineno == best.lineno and (node.end_lineno or 0) <= (best.end_lineno or 0))
                )
            ):
                best = node
        return best

    def nodes(self, line: int) -> list[ast.AST]:
        """The expressions of the statement at a line, without those of statements inside it."""
        statement = self.statement(line)
        return [] if statement is None else own_nodes(statement)

    def indent(self, node: ast.stmt) -> str:
        """What stands before a statement's first character on its line."""
        line = self.lines[node.lineno - 1]
        return line[: len(line) - len(line.lstrip())]

    def line_start(self, node: ast.stmt) -> int:
        """Where the line of a statement, or of its first decorator, begins."""
        decorators = getattr(node, "decorator_list", [])
        first: int = min([node.lineno, *(one.lineno for one in decorators)])
        return self.starts[first - 1]

    def statement_at(self, node: ast.AST) -> ast.stmt | None:
        """The statement that an expression is in."""
        return next((one for one in (node, *self.up(node)) if isinstance(one, ast.stmt)), None)

    def names_at(self, node: ast.AST) -> set[str]:
        """Names that may be used at a node, without the builtins."""
        found: set[str] = set()
        for scope in (*self.up(node), node):
            if isinstance(scope, (*FUNCTIONS, ast.Lambda)):
                found |= parameters(scope) | stored(scope)
            elif isinstance(scope, ast.Module):
                found |= stored(scope)
            elif isinstance(scope, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
                found |= {
                    one.id for part in scope.generators for one in ast.walk(part.target) if isinstance(one, ast.Name)
                }
        return found


def parse(path: str, text: str | None) -> Module | None:
    """The file; None where it is too large or does not parse."""
    if text is None or len(text) > _MOST_TEXT:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    module = Module(path=path, text=text, tree=tree, lines=lines, starts=starts)
    for node in ast.walk(tree):
        for child in ast.iter_child_nodes(node):
            module.parents[child] = node
    return module


def own_nodes(statement: ast.stmt) -> list[ast.AST]:
    """The expressions of one statement, outermost first, without those of statements inside it."""
    found: list[ast.AST] = []
    queue = [child for child in ast.iter_child_nodes(statement) if not isinstance(child, ast.stmt)]
    while queue:
        node = queue.pop(0)
        found.append(node)
        queue += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]
    return found


def parameters(function: Function | ast.Lambda) -> set[str]:
    """Names of all parameters."""
    return {one.arg for one in every_parameter(function.args)}


def every_parameter(arguments: ast.arguments) -> list[ast.arg]:
    """All parameters, in order, those with stars too."""
    stars = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, *stars]


def stored(scope: ast.AST) -> set[str]:
    """Names that a scope gives a value to, not counting those of scopes inside it."""
    found: set[str] = set()
    queue = list(ast.iter_child_nodes(scope))
    while queue:
        node = queue.pop()
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(one.asname or one.name).partition(".")[0] for one in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
        if not isinstance(node, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            queue += list(ast.iter_child_nodes(node))
    return found
