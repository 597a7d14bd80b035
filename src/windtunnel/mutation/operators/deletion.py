"""Statements that were forgotten."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import mentions


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """``pass`` instead of a statement that others do not need in order to run at all."""
    if isinstance(node, cst.Expr | cst.Assign | cst.Raise | cst.Del | cst.Return) and _can_go(node, place):
        yield Proposal(target=node, replacement=cst.Pass(semicolon=node.semicolon))


def _can_go(node: cst.BaseSmallStatement, place: Place) -> bool:
    if isinstance(node, cst.Expr):
        value = node.value.expression if isinstance(node.value, cst.Await) else node.value
        return isinstance(value, cst.Call)
    if isinstance(node, cst.Assign):
        return _is_effect(node) or _is_rework(node, place)
    if isinstance(node, cst.Return):
        return node.value is None and not _is_last(place)
    if isinstance(node, cst.Del):
        return isinstance(node.target, cst.Subscript | cst.Attribute)
    return True


def _is_effect(node: cst.Assign) -> bool:
    return all(isinstance(target.target, cst.Attribute | cst.Subscript) for target in node.targets)


def _is_rework(node: cst.Assign, place: Place) -> bool:
    """A name made of itself: without the statement it still has a value."""
    target = node.targets[0].target
    return (len(node.targets) == 1 and isinstance(target, cst.Name)
            and mentions(place.source, node.value, name=target.value))


def _is_last(place: Place) -> bool:
    """Whether a bare return ends its function anyway."""
    (line, _), (block, _), (holder, _) = place.ancestors[-1], place.ancestors[-2], place.ancestors[-3]
    if isinstance(holder, cst.FunctionDef) and isinstance(block, cst.IndentedBlock):
        return block.body[-1] is line
    return isinstance(block, cst.FunctionDef)


OPERATOR = Operator(
    name="deletion",
    title="a statement dropped",
    nodes=(cst.Expr, cst.Assign, cst.Raise, cst.Del, cst.Return),
    propose=propose,
    examples=(
        *changed(("f(x)\n", "pass\n"), ("self.x = 1\n", "pass\n"), ("x = x.strip()\n", "pass\n"),
                 ("f(); a = 1\n", "pass; a = 1\n"),
                 ("if a:\n    raise ValueError(a)\n", "if a:\n    pass\n"), ("del x[0]\n", "pass\n"),
                 ("def f(x):\n    if x:\n        return\n    g = x\n",
                  "def f(x):\n    if x:\n        pass\n    g = x\n")),
        *untouched("x = f(y)\n", "import a\n", "def f(x):\n    a = x\n    return\n",
                   "def f(x):\n    yield x\n", "x += 1\n"),
    ),
)
