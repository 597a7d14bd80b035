"""Numbers that are off by one."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched

_MOST_DIGITS = 100
_BASES = {"0x": hex, "0o": oct, "0b": bin}


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """The number after it; one that has no such neighbour becomes 1."""
    new = following(node)
    if new is not None and place.field != "default":
        yield Proposal(target=node, replacement=new)


def following(node: cst.CSTNode) -> cst.BaseNumber | None:
    """The number after this one, written in the same base; nothing for what is too long to be counted on."""
    if not isinstance(node, cst.Integer | cst.Float) or len(node.value) > _MOST_DIGITS:
        return None
    if isinstance(node, cst.Integer):
        write = _BASES.get(node.value[:2].lower(), str)
        return node.with_changes(value=write(node.evaluated_value + 1))
    value = node.evaluated_value
    # Beyond 2**53 the next whole number is the same float; an infinite one cannot be written at all.
    return node.with_changes(value=repr(value + 1) if value + 1 != value else "1.0")


OPERATOR = Operator(
    name="constants",
    title="a number one higher",
    nodes=(cst.Integer, cst.Float),
    propose=propose,
    examples=(
        *changed(("x = 0\n", "x = 1\n"), ("x = 0xff\n", "x = 0x100\n"), ("x = 0.5\n", "x = 1.5\n"),
                 ("x = 1e300\n", "x = 1.0\n"), ("x = a[0]\n", "x = a[1]\n")),
        *untouched("def f(x=1):\n    return x\n", "x = 2j\n"),
    ),
)
