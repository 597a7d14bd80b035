"""Answers that are not given."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import is_constant

_OTHERS = (cst.Comparison, cst.BaseNumber, cst.BaseString)
"""Answers that other operators change already, and more finely."""


def propose(node: cst.CSTNode, _place: Place) -> Iterator[Proposal]:
    """None instead of the value."""
    value = node.body if isinstance(node, cst.Lambda) else getattr(node, "value", None)
    if not isinstance(value, cst.BaseExpression) or isinstance(value, _OTHERS):
        return
    if isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Not):
        return
    if not is_constant(value, "None", "True", "False", "NotImplemented"):
        yield Proposal(target=value, replacement=cst.Name("None"))


OPERATOR = Operator(
    name="returns",
    title="None instead of the value returned or yielded",
    nodes=(cst.Return, cst.Yield, cst.Lambda),
    propose=propose,
    examples=(
        *changed(("def f(x):\n    return x\n", "def f(x):\n    return None\n"),
                 ("def f(x):\n    return(x)\n", "def f(x):\n    return None\n"),
                 ("def f(x):\n    yield x\n", "def f(x):\n    yield None\n"),
                 ("f = lambda x: x\n", "f = lambda x: None\n")),
        *untouched("def f(x):\n    return\n", "def f(x):\n    return x == 1\n", "def f(x):\n    return True\n",
                   "def f(x):\n    return NotImplemented\n", "def f(x):\n    yield from x\n"),
    ),
)
