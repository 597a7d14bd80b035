"""Calls with an argument too few, or with two in the wrong order."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Example, Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import is_constant, name_of, same

_OPTIONAL = frozenset({
    ("enumerate", 2), ("get", 2), ("getattr", 3), ("int", 2), ("next", 2), ("pop", 2), ("range", 3), ("round", 2),
    ("rsplit", 2), ("setdefault", 2), ("slice", 2), ("split", 1), ("split", 2), ("strip", 1), ("lstrip", 1),
    ("rstrip", 1), ("sum", 2), ("count", 2), ("find", 2), ("index", 2), ("replace", 3), ("zip_longest", 2),
    ("accumulate", 2), ("islice", 4), ("reduce", 3), ("pow", 3),
})
"""Calls of the standard library whose last argument may be left out, by name and number of arguments."""
_UNSEEN = frozenset({
    "encoding", "errors", "stacklevel", "flush", "help", "description", "epilog", "metavar", "timeout", "maxsize",
})
"""Keywords whose absence a test can hardly see."""
_EITHER_WAY = frozenset({
    "max", "min", "gcd", "lcm", "isinstance", "issubclass", "hasattr", "getattr", "setattr", "cast", "print", "zip",
    "chain", "map", "filter", "filterfalse", "islice", "takewhile", "dropwhile", "starmap", "groupby", "accumulate",
    "reduce", "partial", "deque", "suppress",
})
"""Calls where the order says nothing, or where the wrong one fails at once."""
_BLANK = re.compile(r"[ \t]+(?![ \t#\r\n\\])")
_ALIKE = (cst.Name, cst.Attribute, cst.BaseNumber)


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """Each keyword dropped, an optional last argument dropped, the first two exchanged if they are alike."""
    assert isinstance(node, cst.Call)
    for argument in node.args:
        if argument.keyword is not None and argument.keyword.value not in _UNSEEN:
            yield _without(node, argument, place)
    plain = [argument for argument in node.args if argument.keyword is None]
    if any(argument.star for argument in node.args) or not plain:
        return
    if _is_optional(node, len(plain), place):
        yield _without(node, plain[-1], place)
    yield from _exchanged(node, plain)


def _is_optional(node: cst.Call, count: int, place: Place) -> bool:
    if (name_of(node.func), count) in _OPTIONAL:
        return True
    needed, most = place.optional.get(node.func.value, (0, 0)) if isinstance(node.func, cst.Name) else (0, 0)
    return needed < count <= most


def _without(node: cst.Call, argument: cst.Arg, place: Place) -> Proposal:
    """The call without it; comments beside it stay, and so do the lines of the others."""
    source, at = place.source, node.args.index(argument)
    begin, end = source.span(argument)
    if argument is node.args[-1] and at > 0:
        region = _end(node.args[at - 1], place), _end(argument, place)
    elif isinstance(argument.comma, cst.Comma):
        _, comma_end = source.span(argument.comma)
        written = source.text[_end(argument, place):comma_end].find(",") + 1
        blank = _BLANK.match(source.text, _end(argument, place) + written)
        region = begin, blank.end() if blank else _end(argument, place) + written
    else:
        region = begin, end
    return Proposal(target=node, replacement="", region=region)


def _end(argument: cst.Arg, place: Place) -> int:
    """Where an argument ends, its comma and the space before that not counted."""
    return place.source.span(argument.value)[1]


def _exchanged(node: cst.Call, plain: list[cst.Arg]) -> Iterator[Proposal]:
    if len(plain) < 2 or name_of(node.func) in _EITHER_WAY:  # noqa: PLR2004 -- two are exchanged
        return
    first, second = plain[0], plain[1]
    alike = any(isinstance(first.value, kind) and isinstance(second.value, kind) for kind in _ALIKE)
    fixed = any(is_constant(each.value, "None", "True", "False") for each in (first, second))
    if alike and not fixed and not same(first.value, second.value):
        swapped = [first.with_changes(value=second.value), second.with_changes(value=first.value), *node.args[2:]]
        yield Proposal(target=node, replacement=node.with_changes(args=swapped), trim=True)


OPERATOR = Operator(
    name="arguments",
    title="an argument dropped, two exchanged",
    nodes=(cst.Call,),
    propose=propose,
    examples=(
        *changed(("f(a, key=b)\n", "f(a)\n"), ("x = d.get(k, 0)\n", "x = d.get(k)\n"), ("f(a, b)\n", "f(b, a)\n"),
                 ("def f(x, y=1):\n    pass\nf(a, 2,)\n", "def f(x, y=1):\n    pass\nf(a,)\n")),
        Example(before="f(\n    a,\n    b=1,  # one\n    c=2)\n",
                after=("f(\n    a,\n      # one\n    c=2)\n", "f(\n    a,\n    b=1)\n")),
        *untouched("f(a)\n", "f(a, 1)\n", "f(a, None)\n", "f(*a, b)\n", "x = max(a, b)\n", "x = open(p, encoding=e)\n"),
    ),
)
