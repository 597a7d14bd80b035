"""What a plain function would answer, worked out statement by statement without running any code of the change.

Only functions of plain values can be rehearsed: assignments, conditions, loops over known collections, errors raised
and caught. Everything else makes the answer unknown. Steps are bounded, over all statements together.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from windtunnel.tamper.worth import Unknown, Worth, rows_of

MOST_STATEMENTS = 600
STEPS = 4
"""Steps of an expression that cost as much as a statement."""
_ERRORS = (ZeroDivisionError, KeyError, IndexError, ValueError, TypeError)
"""What plain values raise, and a function may catch."""


class _Left(Exception):
    """A function gave its answer."""


class _Raised(Exception):
    """A function raised an error of this name."""


class _Broke(Exception):
    """A loop was left; or went on, when told so."""


@dataclass(slots=True, kw_only=True)
class Rehearsal:
    """One function with one input."""

    given: dict[str, object]
    sources: Mapping[str, ast.expr]
    name: Callable[[ast.AST], str]
    helpers: Mapping[str, ast.FunctionDef] = field(default_factory=dict)
    left: int = MOST_STATEMENTS

    def answer(self, body: Sequence[ast.stmt]) -> str:
        """The canonical text of what a function returns or raises; raises ``Unknown``."""
        try:
            self._block(body)
        except _Left as end:
            return repr(end.args[0])
        except _Raised as error:
            return f"raises {error.args[0]}"
        except _Broke:
            raise Unknown from None
        return "None"

    def _worth(self, node: ast.AST | None) -> object:
        worth = Worth(given=self.given, sources=self.sources, name=self.name, helpers=self.helpers,
                      steps=max(self.left, 1))  # fmt: skip
        try:
            return worth.of(node)
        except Unknown as unknown:
            if type(unknown.__cause__) not in _ERRORS:
                raise
            raise _Raised(type(unknown.__cause__).__name__) from None
        finally:
            self.left -= (max(self.left, 1) - worth.steps) // STEPS

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for statement in body:
            self.left -= 1
            if self.left < 0:
                raise Unknown
            act = getattr(self, f"_{type(statement).__name__.lower()}", None)
            if act is None:
                raise Unknown
            act(statement)

    def _expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Constant):
            return
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or len(call.args) != 1:
            raise Unknown
        held, more, name = self._worth(call.func.value), self._worth(call.args[0]), getattr(call.func.value, "id", "")
        if not isinstance(held, list) or not name or call.func.attr not in ("append", "extend"):
            raise Unknown
        self.given[name] = [*held, *([more] if call.func.attr == "append" else rows_of(more))]

    def _pass(self, node: ast.Pass) -> None:
        pass

    def _return(self, node: ast.Return) -> None:
        raise _Left(None if node.value is None else self._worth(node.value))

    def _raise(self, node: ast.Raise) -> None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        raise _Raised(self.name(raised).rpartition(".")[2] if raised is not None else "again")

    def _assert(self, node: ast.Assert) -> None:
        if not self._worth(node.test):
            raise _Raised("AssertionError")

    def _assign(self, node: ast.Assign) -> None:
        value = self._worth(node.value)
        for target in node.targets:
            self._bind(target, value)

    def _annassign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self._bind(node.target, self._worth(node.value))

    def _augassign(self, node: ast.AugAssign) -> None:
        if not isinstance(node.target, ast.Name | ast.Subscript):
            raise Unknown
        self._bind(node.target, self._worth(ast.BinOp(left=node.target, op=node.op, right=node.value)))

    def _bind(self, target: ast.expr, value: object) -> None:
        if isinstance(target, ast.Name):
            self.given[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, list | tuple):
            if len(value) != len(target.elts):
                raise Unknown
            for each, part in zip(target.elts, value, strict=True):
                self._bind(each, part)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self._item(target, target.value.id, value)
        else:
            raise Unknown

    def _item(self, target: ast.Subscript, name: str, value: object) -> None:
        held, place = self._worth(target.value), self._worth(target.slice)
        if not isinstance(held, list | dict) or isinstance(place, slice):
            raise Unknown
        made: Any = held.copy()
        made[place] = value
        self.given[name] = made

    def _if(self, node: ast.If) -> None:
        self._block(node.body if self._worth(node.test) else node.orelse)

    def _for(self, node: ast.For) -> None:
        rows = rows_of(self._worth(node.iter))
        self._loop((partial(self._bind, node.target, row) for row in rows), node)

    def _while(self, node: ast.While) -> None:
        self._loop(self._rounds(node), node)

    def _rounds(self, node: ast.While) -> Iterator[Callable[[], None]]:
        while self._worth(node.test):
            yield lambda: None

    def _loop(self, rounds: Iterator[Callable[[], None]], node: ast.For | ast.While) -> None:
        for begin in rounds:
            begin()
            try:
                self._block(node.body)
            except _Broke as end:
                if end.args[0]:
                    return
        self._block(node.orelse)

    def _break(self, node: ast.Break) -> None:
        raise _Broke(bool(node))

    def _continue(self, node: ast.Continue) -> None:
        raise _Broke(not node)

    def _try(self, node: ast.Try) -> None:
        try:
            self._block(node.body)
        except _Raised as error:
            handler = next((each for each in node.handlers if _catches(each, error.args[0])), None)
            if handler is None or node.finalbody:
                raise
            self._block(handler.body)
            return
        self._block([*node.orelse, *node.finalbody])

    def _match(self, node: ast.Match) -> None:
        subject = self._worth(node.subject)
        for case in node.cases:
            if self._fits(case.pattern, subject) and (case.guard is None or self._worth(case.guard)):
                self._block(case.body)
                return

    def _fits(self, pattern: ast.pattern, subject: object) -> bool:
        if isinstance(pattern, ast.MatchValue):
            return bool(self._worth(pattern.value) == subject)
        if isinstance(pattern, ast.MatchOr):
            return any(self._fits(each, subject) for each in pattern.patterns)
        if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
            self.given |= {pattern.name: subject} if pattern.name else {}
            return True
        if isinstance(pattern, ast.MatchSequence) and isinstance(subject, list | tuple):
            same = len(subject) == len(pattern.patterns)
            return same and all(map(self._fits, pattern.patterns, subject))
        raise Unknown


def _catches(handler: ast.ExceptHandler, error: str) -> bool:
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in kinds}
    own = getattr(builtins, error, None)
    above = {each.__name__ for each in own.__mro__} if isinstance(own, type) else {error, "Exception", "BaseException"}
    return handler.type is None or bool(names & above)


FAILURES = (TypeError, ValueError, LookupError, ArithmeticError, AttributeError, RecursionError)
"""What a rehearsal can run into besides the unknown."""
