"""Comprehensions that take everything."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Example, Operator, Place, Proposal, changed, untouched


def propose(node: cst.CSTNode, _place: Place) -> Iterator[Proposal]:
    """The filter dropped."""
    yield Proposal(target=node, replacement="")


OPERATOR = Operator(
    name="filters",
    title="a filter of a comprehension dropped",
    nodes=(cst.CompIf,),
    propose=propose,
    examples=(
        *changed(("x = [a for a in b if a]\n", "x = [a for a in b]\n"),
                 ("x = {a: c for a in b if a > 1 for c in a}\n", "x = {a: c for a in b for c in a}\n")),
        Example(before="x = (a for a in b if a if c)\n",
                after=("x = (a for a in b if c)\n", "x = (a for a in b if a)\n")),
        *untouched("x = [a if b else c for a in b]\n"),
    ),
)
