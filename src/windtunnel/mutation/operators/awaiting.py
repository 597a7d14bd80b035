"""Coroutines that are made and not awaited."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import in_place_of


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """The ``await`` dropped where its value is used; where it is not, dropping the statement does the same."""
    assert isinstance(node, cst.Await)
    if not isinstance(place.parent, cst.Expr):
        yield Proposal(target=node, replacement=in_place_of(node.expression, node))


OPERATOR = Operator(
    name="awaiting",
    title="an `await` dropped",
    nodes=(cst.Await,),
    propose=propose,
    examples=(
        *changed(("async def f(x):\n    y = await x\n", "async def f(x):\n    y = x\n"),
                 ("async def f(x):\n    y = (await x()).z\n", "async def f(x):\n    y = (x()).z\n")),
        *untouched("async def f(x):\n    await x\n"),
    ),
)
