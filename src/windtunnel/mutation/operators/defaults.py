"""Defaults that are not what callers count on."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.operators.constants import following
from windtunnel.mutation.operators.strings import surrounded
from windtunnel.mutation.trees import is_constant, statements

_OPPOSITE = {"True": "False", "False": "True"}


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """Another number, text or truth value; a default that the function overwrites at once is never seen."""
    assert isinstance(node, cst.Param)
    if node.default is not None and not _is_overwritten(node.name.value, place):
        new = _other(node.default)
        if new is not None:
            yield Proposal(target=node.default, replacement=new)


def _other(value: cst.BaseExpression) -> cst.CSTNode | None:
    if isinstance(value, cst.Name):
        return value.with_changes(value=_OPPOSITE[value.value]) if value.value in _OPPOSITE else None
    return surrounded(value) if isinstance(value, cst.SimpleString) else following(value)


def _is_overwritten(name: str, place: Place) -> bool:
    holder = next((node for node, _ in place.upward() if isinstance(node, cst.FunctionDef | cst.Lambda)), None)
    first = statements(holder.body)[:1] if isinstance(holder, cst.FunctionDef) else []
    return any(isinstance(statement, cst.Assign) and isinstance(statement.value, cst.BaseNumber | cst.BaseString)
               and any(is_constant(target.target, name) for target in statement.targets) for statement in first)


OPERATOR = Operator(
    name="defaults",
    title="another default of a parameter",
    nodes=(cst.Param,),
    propose=propose,
    examples=(
        *changed(("def f(x=1):\n    return x\n", "def f(x=2):\n    return x\n"),
                 ("def f(*, x: bool = True):\n    return x\n", "def f(*, x: bool = False):\n    return x\n"),
                 ("f = lambda x='a': x\n", "f = lambda x='XXaXX': x\n")),
        *untouched("def f(x=None):\n    return x\n", "def f(x=1):\n    x = 2\n    return x\n",
                   "def f(x=()):\n    return x\n"),
    ),
)
