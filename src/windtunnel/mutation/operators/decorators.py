"""Functions and classes without what wraps them."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from windtunnel.mutation.operator import Operator, Place, Proposal, changed, untouched
from windtunnel.mutation.trees import name_of

_NEEDED = frozenset({
    "property", "cached_property", "staticmethod", "classmethod", "setter", "getter", "deleter", "contextmanager",
    "asynccontextmanager", "fixture",
})
"""Without these nothing works, which any test sees."""
_UNSEEN = frozenset({
    "cache", "lru_cache", "wraps", "final", "override", "overload", "abstractmethod", "runtime_checkable",
    "no_type_check", "deprecated", "total_ordering", "unique",
})
"""Without these nothing that a test looks at is different, or hardly anything."""


def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
    """The decorator dropped; its line stays, so that every other line keeps its number."""
    assert isinstance(node, cst.Decorator)
    if name_of(node.decorator) in _NEEDED | _UNSEEN:
        return
    start, end = place.source.span(node.decorator)
    start = place.source.text.rindex("@", 0, start)
    yield Proposal(target=node, replacement="", region=(start, end))


OPERATOR = Operator(
    name="decorators",
    title="a decorator dropped",
    nodes=(cst.Decorator,),
    propose=propose,
    examples=(
        *changed(("@d\ndef f():\n    return 1\n", "\ndef f():\n    return 1\n"),
                 ("class A:\n    @d(1)  # why\n    def f(self):\n        return 1\n",
                  "class A:\n      # why\n    def f(self):\n        return 1\n")),
        *untouched("@property\ndef f():\n    return 1\n", "@functools.lru_cache(maxsize=9)\ndef f():\n    return 1\n"),
    ),
)
