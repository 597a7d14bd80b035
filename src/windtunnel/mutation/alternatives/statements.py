"""Small changes of statements: dropped, moved, taken out of a block or put under a condition, guards before all."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

Edit = tuple[str, list[ast.stmt]]
"""The kind of change, and the whole body as it then is."""
_LOOPS = (ast.For, ast.While, ast.AsyncFor)


def bodies(body: list[ast.stmt], conditions: Sequence[ast.expr]) -> Iterator[Edit]:
    """For a list of statements."""
    for at, statement in enumerate(body):
        before, after = body[:at], body[at + 1:]
        yield "statement dropped", [*before, *after] or [ast.Pass()]
        if after:
            yield "statement moved", [*before, after[0], statement, *after[1:]]
        for changed in _statement(statement):
            yield "statement changed", [*before, *changed, *after]
        if not isinstance(statement, ast.If | ast.FunctionDef | ast.ClassDef):
            for condition in conditions:
                guarded = ast.If(test=condition, body=[statement], orelse=[])
                yield "condition added", [*before, guarded, *after]


def guards(body: list[ast.stmt], conditions: Sequence[ast.expr], answers: Sequence[ast.stmt]) -> Iterator[Edit]:
    """An early end before all of it, where a condition holds."""
    for condition in conditions:
        for answer in answers:
            yield "early end", [ast.If(test=condition, body=[answer], orelse=[]), *body]


def _statement(statement: ast.stmt) -> Iterator[list[ast.stmt]]:
    if isinstance(statement, ast.If):
        yield list(statement.body)
        if statement.orelse:
            yield list(statement.orelse)
            yield [ast.If(test=statement.test, body=statement.body, orelse=[]), *statement.orelse]
    elif isinstance(statement, ast.Break):
        yield [ast.Continue()]
    elif isinstance(statement, ast.Continue):
        yield [ast.Break()]
    elif isinstance(statement, ast.AugAssign):
        for kind in (ast.Add, ast.Sub, ast.Mult):
            if not isinstance(statement.op, kind):
                yield [ast.AugAssign(target=statement.target, op=kind(), value=statement.value)]
        yield [ast.Assign(targets=[statement.target], value=statement.value)]
    elif isinstance(statement, ast.Try):
        yield list(statement.body)
    elif isinstance(statement, _LOOPS) and len(statement.body) > 1:
        *body, last = statement.body
        yield [_with_body(statement, body), last]


def _with_body(loop: ast.stmt, body: list[ast.stmt]) -> ast.stmt:
    fields = {name: getattr(loop, name) for name in loop._fields}
    return type(loop)(**fields | {"body": body})
