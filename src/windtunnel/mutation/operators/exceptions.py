"""Exceptions of another type, and handlers that do not catch."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Example, Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import name_of

_GENERAL = frozenset({"Exception", "BaseException", "NotImplementedError"})
_OF_IMPORTS = frozenset({"ImportError", "ModuleNotFoundError"})


def propose(node: cst.CSTNode, _place: Place) -> Iterator[Proposal]:
    """A handler that catches less; a raise of a plain ``Exception``."""
    if isinstance(node, cst.ExceptHandler) and node.type is not None:
        yield from _handler(node.type)
    elif isinstance(node, cst.Raise) and node.exc is not None:
        yield from _raise(node.exc)


def _handler(caught: cst.BaseExpression) -> Iterator[Proposal]:
    elements = caught.elements if isinstance(caught, cst.Tuple) else ()
    if len(elements) > 1:
        for element in elements:
            left = [other for other in elements if other is not element]
            left[-1] = left[-1].with_changes(comma=cst.Comma() if len(left) == 1 else cst.MaybeSentinel.DEFAULT)
            yield Proposal(target=caught, replacement=caught.with_changes(elements=left), trim=len(left) > 1)
    elif name_of(elements[0].value if elements else caught) not in _OF_IMPORTS:
        yield Proposal(target=caught, replacement=cst.Tuple(elements=()))


def _raise(raised: cst.BaseExpression) -> Iterator[Proposal]:
    made = raised.func if isinstance(raised, cst.Call) else raised
    named = name_of(made)
    # A name in small letters is an error in hand, not a type of errors.
    if not named[:1].isupper() or named in _GENERAL or not isinstance(made, cst.Name | cst.Attribute):
        return
    if isinstance(raised, cst.Call) and any(argument.keyword or argument.star for argument in raised.args):
        return
    yield Proposal(target=made, replacement=cst.Name("Exception"))


_TRY = "try:\n    f()\nexcept {}:\n    pass\n"

OPERATOR = Operator(
    name="exceptions",
    title="another type raised, a type not caught",
    nodes=(cst.ExceptHandler, cst.Raise),
    propose=propose,
    examples=(
        *changed(("raise ValueError(a)\n", "raise Exception(a)\n"),
                 (_TRY.format("KeyError as e"), _TRY.format("() as e"))),
        Example(before=_TRY.format("(A, B)"), after=(_TRY.format("(B,)"), _TRY.format("(A,)"))),
        *untouched("raise\n", "raise error\n", "raise Exception(a)\n",
                   _TRY.format("ImportError"), "raise Bad(code=1)\n",
                   "try:\n    f()\nexcept:\n    pass\n"),
    ),
)
