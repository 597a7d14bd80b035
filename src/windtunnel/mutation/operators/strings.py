"""Texts that say something else."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import name_of

_WARNINGS = frozenset({"warn", "warn_explicit", "deprecated"})
_PEOPLE = frozenset({"help", "description", "epilog", "metavar", "encoding", "errors"})
"""Keywords whose text only people read, or whose wrong text fails at once."""


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """The text with XX around it; a text in pieces is changed in its first one."""
    if place.field == "default" or _is_for_people(place) or _is_later_piece(place):
        return
    if isinstance(node, cst.SimpleString):
        yield Proposal(target=node, replacement=surrounded(node))
    elif isinstance(node, cst.FormattedString):
        texts = (part for part in node.parts if isinstance(part, cst.FormattedStringText) and part.value.strip())
        for part in texts:
            yield Proposal(target=part, replacement=part.with_changes(value=f"XX{part.value}XX"))
            return


def surrounded(node: cst.SimpleString) -> cst.SimpleString:
    """The string with XX at both ends."""
    begin, end = len(node.prefix) + len(node.quote), len(node.value) - len(node.quote)
    return node.with_changes(value=f"{node.value[:begin]}XX{node.value[begin:end]}XX{node.value[end:]}")


def _is_for_people(place: Place) -> bool:
    for node, _ in place.upward():
        if isinstance(node, cst.Raise) or (isinstance(node, cst.Call) and name_of(node.func) in _WARNINGS):
            return True
        if isinstance(node, cst.Arg) and node.keyword is not None and node.keyword.value in _PEOPLE:
            return True
        if isinstance(node, cst.BaseSmallStatement):
            return False
    return False


def _is_later_piece(place: Place) -> bool:
    return any(isinstance(node, cst.ConcatenatedString) and name == "right" for node, name in place.upward())


OPERATOR = Operator(
    name="strings",
    title="a text with XX around it",
    nodes=(cst.SimpleString, cst.FormattedString),
    propose=propose,
    examples=(
        *changed(('x = "a"\n', 'x = "XXaXX"\n'), ("x = rb''\n", "x = rb'XXXX'\n"),
                 ('x = f"{a} of {b}"\n', 'x = f"{a}XX of XX{b}"\n'), ('x = "a" "b"\n', 'x = "XXaXX" "b"\n')),
        *untouched('raise ValueError("a")\n', 'raise ValueError(f"a {b}")\n', 'warnings.warn("a", stacklevel=2)\n',
                   'def f(x="a"):\n    return x\n', 'x = open(p, encoding="utf-8")\n',
                   'x = f"{a}"\n', 'assert x, "a"\n'),
    ),
)
