"""One walk over a tree that offers every node to its operators, outermost first, and passes by what is left alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache

import libcst as cst

from windtunnel.mutation.arid import is_left_alone, is_unreachable_after
from windtunnel.mutation.operator import FUNCTION_LIKE, Operator, Place, Proposal
from windtunnel.mutation.source import Source

# Whitespace, punctuation and types hold no behaviour.
_PASSED_BY = frozenset({
    "annotation", "asname", "asynchronous", "attr", "bases", "colon", "comma", "conversion", "dot", "equal",
    "first_colon", "footer", "header", "indent", "keyword", "keywords", "lbrace", "lbracket", "leading_lines",
    "lines_after_decorators", "lpar", "name", "operator", "posonly_ind", "rbrace", "rbracket", "returns", "rpar",
    "second_colon", "semicolon", "separator", "star", "trailing_whitespace", "type_parameters",
})
_TARGETS = (cst.AssignTarget, cst.AugAssign, cst.AnnAssign, cst.For, cst.CompFor, cst.NamedExpr, cst.Del)
_CLOSED = (cst.Import, cst.ImportFrom, cst.Global, cst.Nonlocal, cst.Assert, cst.Name, cst.BaseNumber,
                cst.SimpleString, cst.MatchMapping)


@dataclass(frozen=True, slots=True)
class Found:
    """A proposal with what its place was."""

    operator: str
    proposal: Proposal
    function: str
    ancestors: tuple[tuple[cst.CSTNode, str], ...]


def proposals(source: Source, *, operators: Iterable[Operator], lines: frozenset[int] | None = None,
              representations: bool = False) -> Iterator[Found]:
    """Everything that the operators propose for a file; with ``lines``, without whole definitions away from them."""
    wanted = list(operators)

    @cache
    def offered(kind: type[cst.CSTNode]) -> tuple[Operator, ...]:
        return tuple(operator for operator in wanted if issubclass(kind, operator.nodes))

    place = Place(source=source, optional=_optional(source.module))
    walk = _Walk(place, offered, representations=representations)
    if lines is None:
        return walk.node(source.module)
    return walk.some(source.module, _near(source, lines))


def _near(source: Source, lines: frozenset[int]) -> list[cst.CSTNode]:
    """The statements of a module without the definitions, known by one name only, that touch none of the lines."""
    named = Counter(node.name.value for node in source.module.body if isinstance(node, cst.FunctionDef | cst.ClassDef))
    found: list[cst.CSTNode] = []
    for node in source.module.body:
        place = source.ranges[node]
        alone = isinstance(node, cst.FunctionDef | cst.ClassDef) and named[node.name.value] == 1
        if not alone or not lines.isdisjoint(range(place.start.line, place.end.line + 1)):
            found.append(node)
    return found


def _optional(module: cst.Module) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for statement in module.body:
        if isinstance(statement, cst.FunctionDef) and not isinstance(statement.params.star_arg, cst.Param):
            params = [*statement.params.posonly_params, *statement.params.params]
            found[statement.name.value] = sum(param.default is None for param in params), len(params)
    return found


@cache
def _fields(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    if issubclass(kind, _CLOSED):
        return ()
    names = (item.name for item in fields(kind))
    return tuple(name for name in names if name not in _PASSED_BY and not name.startswith(("whitespace", "_")))


class _Walk:
    def __init__(self, place: Place, offered: Callable[[type[cst.CSTNode]], tuple[Operator, ...]], *,
                 representations: bool) -> None:
        self._place, self._offered, self._representations = place, offered, representations

    def some(self, module: cst.Module, statements: Iterable[cst.CSTNode]) -> Iterator[Found]:
        """As of the whole module, for some of its statements."""
        yield from self._below(module, "body", statements)

    def node(self, node: cst.CSTNode) -> Iterator[Found]:
        place = self._place
        if is_left_alone(node, place, representations=self._representations):
            return
        for operator in self._offered(type(node)):
            for proposal in operator.propose(node, place):
                yield Found(operator.name, proposal, place.functions[-1] if place.functions else "",
                            (*place.ancestors, (node, "")))
        for name in _fields(type(node)):
            yield from self._field(node, name)

    def _field(self, node: cst.CSTNode, name: str) -> Iterator[Found]:
        value = getattr(node, name)
        if isinstance(value, list | tuple):
            yield from self._below(node, name, value)
        elif isinstance(value, cst.CSTNode):
            bound = name == "target" and isinstance(node, _TARGETS)
            if not bound or isinstance(value, cst.Subscript | cst.Attribute):
                yield from self._below(node, name, (value,))

    def _below(self, node: cst.CSTNode, name: str, children: Iterable[cst.CSTNode]) -> Iterator[Found]:
        place = self._place
        place.ancestors.append((node, name))
        entered = name == "body" and type(node) in FUNCTION_LIKE
        if entered:
            self._enter(node)
        for child in children:
            yield from self.node(child)
            if name == "body" and is_unreachable_after(child):
                break
        if entered:
            self._leave(node)
        place.ancestors.pop()

    def _enter(self, node: cst.CSTNode) -> None:
        assert isinstance(node, cst.FunctionDef | cst.ClassDef)
        self._place.names.append(node.name.value)
        if isinstance(node, cst.FunctionDef):
            self._place.functions.append(".".join(self._place.names))
            self._place.names.append("<locals>")

    def _leave(self, node: cst.CSTNode) -> None:
        if isinstance(node, cst.FunctionDef):
            self._place.names.pop()
            self._place.functions.pop()
        self._place.names.pop()
