"""The user's own operators, from a file: a pattern with holes and what stands there instead.

    version: 1
    rules:
      - name: no-retries
        pattern: fetch($url, retries=$count)
        replacement: fetch($url, retries=0)

Whatever is unknown, mistyped or too large is refused with file, line and column; no part of the file is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import libcst as cst

from windtunnel.core.errors import UsageError
from windtunnel.mutation.holes import Bound, filled, fits, hole_of, holes, read_tree
from windtunnel.mutation.operator import Operator, Place, Proposal
from windtunnel.mutation.rulefile import Table, Text, read_tables, shown
from windtunnel.mutation.trees import bracketed

PREFIX = "custom:"
_MOST_RULES = 100
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")
_Tree = cst.BaseExpression | cst.BaseSmallStatement


def read_rules(content: bytes, *, file: str) -> tuple[Operator, ...]:
    """The operators of a file's rules, named ``custom:`` and the rule's name."""
    tables = read_tables(content, file=file)
    if len(tables) > _MOST_RULES:
        raise tables[_MOST_RULES][0].refusal(f"more than {_MOST_RULES} rules")
    made: dict[str, Operator] = {}
    for place, table in tables:
        operator = _operator(place, table)
        if operator.name in made:
            raise table["name"].refusal(f"name: {shown(table['name'].value)} is there twice")
        made[operator.name] = operator
    return tuple(made.values())


def _operator(place: Text, table: Table) -> Operator:
    for key in ("name", "pattern", "replacement"):
        if key not in table:
            raise place.refusal(f"{key}: missing")
    name = table["name"]
    if not _NAME.fullmatch(name.value):
        raise name.refusal(f"name: not a name: {shown(name.value)} (small letters, digits and -)")
    pattern, replacement = _tree(table["pattern"], "pattern"), _tree(table["replacement"], "replacement")
    _check(table, pattern, replacement)
    title = table["title"].value if "title" in table else f"{table['pattern'].value} → {table['replacement'].value}"
    return Operator(name=PREFIX + name.value, title=" ".join(title.split())[:200], nodes=(type(pattern),),
                    propose=_proposer(pattern, replacement), examples=())


def _tree(text: Text, key: str) -> _Tree:
    try:
        return read_tree(text.value)
    except UsageError as error:
        raise text.refusal(f"{key}: {error}") from error


def _check(table: Table, pattern: _Tree, replacement: _Tree) -> None:
    if hole_of(pattern):
        raise table["pattern"].refusal("pattern: a hole alone fits everything")
    missing = sorted(holes(table["replacement"].value) - holes(table["pattern"].value))
    if missing:
        raise table["replacement"].refusal(f"replacement: ${missing[0]} is not in the pattern")
    if isinstance(pattern, cst.BaseExpression) != isinstance(replacement, cst.BaseExpression) and not isinstance(
            pattern, cst.BaseSmallStatement):
        raise table["replacement"].refusal("replacement: a statement cannot stand for an expression")
    if table["pattern"].value.split() == table["replacement"].value.split():
        raise table["replacement"].refusal("replacement: the same as the pattern")


def _proposer(pattern: _Tree, replacement: _Tree) -> Callable[[cst.CSTNode, Place], Iterator[Proposal]]:
    def propose(node: cst.CSTNode, place: Place) -> Iterator[Proposal]:
        bound: Bound = {}
        if not fits(pattern, node, bound):
            return
        new = filled(replacement, bound)
        if isinstance(node, cst.BaseSmallStatement):
            begin, end = place.source.span(node)
            if isinstance(node.semicolon, cst.Semicolon):
                end = place.source.span(node.semicolon)[0]
            yield Proposal(target=node, replacement=place.source.code(new), region=(begin, end))
        elif isinstance(new, cst.BaseExpression) and isinstance(node, cst.BaseExpression):
            yield Proposal(target=node, replacement=_in_place(new, node, place), trim=True)

    return propose


def _in_place(new: cst.BaseExpression, node: cst.BaseExpression, place: Place) -> cst.BaseExpression:
    """The new expression bound as tightly as what stands around it asks."""
    if node.lpar and not new.lpar:
        return new.with_changes(lpar=node.lpar, rpar=node.rpar)
    return bracketed(new) if isinstance(place.parent, cst.BaseExpression | cst.ComparisonTarget) else new
