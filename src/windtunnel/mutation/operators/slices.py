"""Slices with an end too many."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Example, Operator, Place, Proposal, changed, untouched


def propose(node: cst.CSTNode, _place: Place) -> Iterator[Proposal]:
    """Each bound and the step dropped."""
    assert isinstance(node, cst.Slice)
    for name in ("lower", "upper", "step"):
        if getattr(node, name) is not None:
            yield Proposal(target=node, replacement=node.with_changes(**{name: None}))


OPERATOR = Operator(
    name="slices",
    title="a bound or the step of a slice dropped",
    nodes=(cst.Slice,),
    propose=propose,
    examples=(
        *changed(("x = a[1:]\n", "x = a[:]\n"), ("x = a[::-1]\n", "x = a[::]\n")),
        Example(before="x = a[i:j]\n", after=("x = a[:j]\n", "x = a[i:]\n")),
        *untouched("x = a[:]\n", "x = a[i]\n"),
    ),
)
