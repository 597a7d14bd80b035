"""Branches taken the wrong way."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import bracketed, is_constant, name_of

_OTHERS = (cst.Comparison, cst.BooleanOperation, cst.UnaryOperation, cst.BaseNumber)
"""Tests that other operators turn round already."""


def propose(node: cst.CSTNode, _place: Place) -> Iterator[Proposal]:
    """The test inverted, where no other operator does the same to it."""
    assert isinstance(node, cst.If | cst.While | cst.IfExp)
    test = node.test
    if isinstance(test, _OTHERS) or is_constant(test, "True", "False") or name_of(test) == "TYPE_CHECKING":
        return
    yield Proposal(target=test, replacement=cst.UnaryOperation(operator=cst.Not(), expression=bracketed(test)))


OPERATOR = Operator(
    name="condition",
    title="a condition inverted",
    nodes=(cst.If, cst.While, cst.IfExp),
    propose=propose,
    examples=(
        *changed(("if a:\n    f()\n", "if not a:\n    f()\n"), ("x = a if b() else c\n", "x = a if not b() else c\n"),
                 ("while (a):\n    f()\n", "while not (a):\n    f()\n"),
                 ("if a := f():\n    g()\n", "if not (a := f()):\n    g()\n")),
        *untouched("if a == b:\n    f()\n", "while True:\n    f()\n", "if TYPE_CHECKING:\n    import x\n"),
    ),
)
