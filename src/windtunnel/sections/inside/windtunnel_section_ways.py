"""What of a file can run: its statements, and the two ways out of each condition and loop.

A statement counts where its code is kept by Python; docstrings, ``global``, ``...`` and bare annotations are none, nor
is what stands under ``if TYPE_CHECKING``; ``except``, ``case`` and what decorates are. It ran where one of its own
lines did. An ``if``, ``while`` or ``for`` whose body stands on lines of its own has two branches: into the body, and
past it. A ``case`` has the same two. A test that is a constant has none, nor has a last ``case`` that takes whatever
comes. No comment in a file takes anything out.
"""

from __future__ import annotations

import ast
import dis
import types
from typing import Any, Iterable, Iterator, List, Set, Tuple

Arc = Tuple[int, int]
_BLOCKS = (ast.If, ast.While, ast.For, ast.AsyncFor)
_NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Ways:
    """Of one file."""

    def __init__(self, statements: List[Set[int]], choices: List[Tuple[Set[int], Set[int]]]) -> None:
        """Statements by their lines; choices by the lines that decide and those that are entered."""
        self.statements, self.choices = statements, choices
        self.lines, self.branches = len(statements), 2 * len(choices)

    def lines_run(self, arcs: Iterable[Arc]) -> int:
        """How many statements ran."""
        ran = {line for _, line in arcs}
        return sum(not ran.isdisjoint(own) for own in self.statements)

    def branches_taken(self, arcs: Iterable[Arc]) -> int:
        """How many of the ways out of conditions and loops were taken."""
        after: Any = {}
        for first, then in arcs:
            after.setdefault(first, set()).add(then)
        taken = 0
        for deciding, body in self.choices:
            reached: Set[int] = set().union(*(after.get(line, ()) for line in deciding)) - deciding
            taken += bool(reached & body) + bool(reached - body)
        return taken


def ways_of(source: bytes) -> Ways:
    """Of a file's text; whatever ``compile`` raises where it is no Python."""
    tree = ast.parse(source)
    kept = set(_code_lines(compile(source, "<file>", "exec", dont_inherit=True)))
    statements: List[Set[int]] = []
    choices: List[Tuple[Set[int], Set[int]]] = []
    for node in _walked(tree):
        statements += [own for one in _heads(node) if (own := _own(one) & kept)]
        choices += [choice for choice in _choices(node) if choice[1] & kept and not choice[0] & choice[1]]
    return Ways(statements, choices)


def _walked(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those that only type checkers read."""
    waiting: List[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and getattr(node.test, "attr", getattr(node.test, "id", "")) == "TYPE_CHECKING":
            waiting += node.orelse
            continue
        yield node
        waiting += ast.iter_child_nodes(node)


def _code_lines(code: types.CodeType) -> Iterator[int]:
    yield from (line for _, line in dis.findlinestarts(code) if line)
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _code_lines(part)


def _heads(node: Any) -> List[Any]:
    """What counts as a statement of its own: itself, what decorates it, its cases."""
    if not isinstance(node, (ast.stmt, ast.ExceptHandler)) or _silent(node):
        return []
    return [node, *getattr(node, "decorator_list", []), *getattr(node, "cases", [])]


def _silent(node: ast.AST) -> bool:
    """Texts and dots that stand alone, functions that are nothing but dots, and declarations."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return len(node.body) == 1 and _alone(node.body[0]) is ...
    return isinstance(node, (ast.Global, ast.Nonlocal)) or isinstance(_alone(node), (str, type(...)))


def _alone(node: ast.AST) -> Any:
    """The value that a statement is, where it is nothing else."""
    return node.value.value if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) else None


def _own(node: Any) -> Set[int]:
    """Lines of a statement without those of the statements in it."""
    if isinstance(node, _NAMED):
        return {node.lineno}
    parts = [*getattr(node, "body", []), *getattr(node, "cases", [])] if not isinstance(node, ast.expr) else []
    start = getattr(node, "pattern", node).lineno
    return set(range(start, max(start + 1, _first(parts[0])) if parts else node.end_lineno + 1))


def _first(node: Any) -> int:
    """The line that a statement or a case begins on, with what decorates it."""
    starts = [getattr(node, "pattern", node).lineno, *(one.lineno for one in getattr(node, "decorator_list", []))]
    return int(min(starts))


def _choices(node: Any) -> Iterator[Tuple[Set[int], Set[int]]]:
    if isinstance(node, _BLOCKS) and not isinstance(getattr(node, "test", None), ast.Constant):
        yield _own(node), _span(node.body)
    for case in getattr(node, "cases", []):
        last = case is node.cases[-1] and case.guard is None and getattr(case.pattern, "pattern", 0) is None
        if not last:
            yield _own(case), _span(case.body)


def _span(body: List[Any]) -> Set[int]:
    return set(range(_first(body[0]), body[-1].end_lineno + 1))
