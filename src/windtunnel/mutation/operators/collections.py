"""Literals that hold nothing."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched


def propose(node: cst.CSTNode, _place: Place) -> Iterator[Proposal]:
    """The same kind of collection, empty."""
    if isinstance(node, cst.Set):
        yield Proposal(target=node, replacement=cst.Call(func=cst.Name("set"), lpar=node.lpar, rpar=node.rpar))
    elif isinstance(node, cst.List | cst.Dict) and node.elements:
        empty = cst.List(elements=()) if isinstance(node, cst.List) else cst.Dict(elements=())
        yield Proposal(target=node, replacement=empty.with_changes(lpar=node.lpar, rpar=node.rpar))


OPERATOR = Operator(
    name="collections",
    title="a list, dictionary or set literal emptied",
    nodes=(cst.List, cst.Dict, cst.Set),
    propose=propose,
    examples=(
        *changed(("x = [a, b]\n", "x = []\n"), ("x = {a: b}\n", "x = {}\n"), ("x = {a}\n", "x = set()\n")),
        *untouched("x = []\n", "[a, b] = c\n", "x = (a, b)\n", "x = [a for a in b]\n", "for [a, b] in c:\n    pass\n"),
    ),
)
