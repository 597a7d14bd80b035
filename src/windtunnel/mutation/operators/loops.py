"""Loops that end too late or too early."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """``continue`` and ``break`` for each other; out of a ``while``, which could go on for ever, ``return``."""
    assert isinstance(node, cst.Break | cst.Continue)
    if isinstance(node, cst.Continue):
        yield Proposal(target=node, replacement=cst.Break(semicolon=node.semicolon))
    elif isinstance(_loop(place), cst.For):
        yield Proposal(target=node, replacement=cst.Continue(semicolon=node.semicolon))
    elif place.functions and not place.within(cst.ExceptStarHandler) and not _is_end(place):
        yield Proposal(target=node, replacement=cst.Return(semicolon=node.semicolon))


def _loop(place: Place) -> cst.CSTNode | None:
    """The loop that it ends: not one in whose ``else`` it stands."""
    loops = (node for node, name in place.upward() if isinstance(node, cst.For | cst.While) and name == "body")
    return next(loops, None)


def _is_end(place: Place) -> bool:
    """Whether nothing of the function follows the loop, or it is not directly in the function's body."""
    below: cst.CSTNode | None = None
    loop = _loop(place)
    for node, _ in place.upward():
        if isinstance(node, cst.IndentedBlock) and below is loop:
            return node.body[-1] is loop
        below = node
    return True


OPERATOR = Operator(
    name="loops",
    title="`break` and `continue` exchanged",
    nodes=(cst.Break, cst.Continue),
    propose=propose,
    examples=(
        *changed(("for a in b:\n    break\n", "for a in b:\n    continue\n"),
                 ("while a:\n    continue\n", "while a:\n    break\n"),
                 ("def f():\n    while a:\n        break\n    g()\n",
                  "def f():\n    while a:\n        return\n    g()\n")),
        *untouched("while a:\n    break\n", "def f():\n    while a:\n        break\n"),
    ),
)
