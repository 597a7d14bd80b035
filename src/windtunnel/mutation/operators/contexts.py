"""Blocks without the context that guards them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """A context that has no name is not entered; one that has a name is needed by the block."""
    assert isinstance(node, cst.With)
    if isinstance(node.lpar, cst.LeftParen):
        return
    if len(node.items) == 1 and node.items[0].asname is None:
        begin, end = place.source.span(node.items[0].item)
        begin = place.source.text.rindex("with", 0, begin)
        if node.asynchronous is not None:
            begin = place.source.text.rindex("async", 0, begin)
        yield Proposal(target=node, replacement="if True", region=(begin, end))
    elif len(node.items) > 1:
        yield from _shorter(node, place)


def _shorter(node: cst.With, place: Place) -> Iterator[Proposal]:
    spans = [place.source.span(item) for item in node.items]
    for at, item in enumerate(node.items):
        if item.asname is None:
            last = at == len(node.items) - 1
            _, end_before = place.source.span(node.items[at - 1].asname or node.items[at - 1].item)
            region = (end_before, spans[at][1]) if last else (spans[at][0], spans[at + 1][0])
            yield Proposal(target=item, replacement="", region=region)


OPERATOR = Operator(
    name="contexts",
    title="a context manager not entered",
    nodes=(cst.With,),
    propose=propose,
    examples=(
        *changed(("with lock:\n    f()\n", "if True:\n    f()\n"),
                 ("async def f(x):\n    async with x:\n        g()\n", "async def f(x):\n    if True:\n        g()\n"),
                 ("with a, b() as c:\n    f()\n", "with b() as c:\n    f()\n"),
                 ("with a() as b, c:\n    f()\n", "with a() as b:\n    f()\n")),
        *untouched("with a() as b:\n    f()\n"),
    ),
)
