"""The wrong name: another of the same type that is in scope, as a value, as a target, as an attribute."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.search.site import Edit, Kind, Site, change
from windtunnel.repair.search.types import BUILTINS, UNKNOWN, UNSURE, likeness

_MANY = 40
_FEW = 20
_FUNCTIONS = ("len", "abs", "str", "int", "sum", "min", "max", "float", "sorted")
_UNUSED = 3.0


def edits(site: Site) -> Iterator[Edit]:
    """Each name of the statement by the others that fit there."""
    for node in site.nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            yield from _loaded(site, node)
            yield from _indexed(site, node)
        elif isinstance(node, ast.Name) and isinstance(site.statement, ast.Assign | ast.AugAssign):
            yield from _stored(site, node)
        elif isinstance(node, ast.Attribute):
            yield from _attributes(site, node)


def _loaded(site: Site, node: ast.Name) -> Iterator[Edit]:
    if site.module.is_called(node) or site.function is None:
        return
    if node.id in _FUNCTIONS:
        yield from (change(site, node, name, 0.01, why="another function") for name in _FUNCTIONS if name != node.id)
        return
    others = _alike(site, node)
    share = 0.09 / (1 + sum(weight for _, weight in others))
    for name, weight in others:
        yield change(site, node, name, min(0.08, share * weight), why="another name of the same type")


def _alike(site: Site, node: ast.Name) -> list[tuple[str, float]]:
    """Names in scope with how well each fits, from 0 to 3."""
    assert site.function is not None
    kinds = site.types.get(node.id, UNKNOWN)
    found = []
    for name, chance in list(site.visible(node).items())[:_MANY]:
        if name == node.id or (name == "self") != (node.id == "self") or name in site.module.definitions:
            continue
        fit = likeness(kinds, site.types.get(name, UNKNOWN)) * chance
        unused = _UNUSED if not site.function.uses.get(name) else 1.0
        found.append((name, fit * unused * _kinship(node.id, name)))
    return found


def _kinship(first: str, second: str) -> float:
    """Names that share a word, or are each one letter, are mistaken for each other more often."""
    if len(first) == len(second) == 1:
        return 1.3
    words = set(re.split(r"_|\d+", first)) & set(re.split(r"_|\d+", second)) - {""}
    return 1.4 if words or first.startswith(second) or second.startswith(first) else 1.0


def _indexed(site: Site, node: ast.Name) -> Iterator[Edit]:
    """An item of a container where the container or its index stands, and the other way round."""
    parent = site.parent(node)
    if isinstance(parent, ast.Subscript) or site.module.is_called(node) or site.function is None:
        return
    kinds = site.types.get(node.id, UNKNOWN)
    if not kinds & BUILTINS:
        for name in (
            site.module.attributes if node.id not in {"self", "cls"} and not isinstance(parent, ast.Attribute) else ()
        ):
            yield change(
                site, node, f"{node.id}.{name}", 0.012 / (1 + len(site.module.attributes)), why="its attribute"
            )
    for name in (
        site.of_type("list", "dict", "str", "tuple", "defaultdict") if kinds & {"int", "str"} or not kinds else ()
    ):
        if name != node.id:
            yield change(site, node, f"{name}[{node.id}]", 0.006, why="the item there instead of its place")


def _stored(site: Site, node: ast.Name) -> Iterator[Edit]:
    """Another target; those that are given values elsewhere too."""
    if site.function is None or isinstance(node.ctx, ast.Load):
        return
    kinds = site.types.get(node.id, UNKNOWN)
    others = [
        name
        for name in site.function.locals
        if name not in {node.id, "self"} and likeness(kinds, site.types.get(name, UNKNOWN)) >= UNSURE
    ]
    for name in others[:_MANY]:
        yield change(site, node, name, 0.03 / (1 + len(others)), why="another name is meant to get the value")


def _attributes(site: Site, node: ast.Attribute) -> Iterator[Edit]:
    """Other attributes of the file that are not called, those of the same object first."""
    if site.module.is_called(node):
        return
    base = site.text(node.value)
    others = [(name, count) for name, count in site.module.attributes.items() if name != node.attr]
    whole = sum(count for _, count in others)
    for name, count in others[:_FEW]:
        prior = 0.08 * count / (1 + whole) * _kinship(node.attr, name)
        yield change(site, node, f"{base}.{name}", min(0.08, prior), why="another attribute")


KIND = Kind(
    name="variable",
    bound=0.08,
    edits=edits,
    before="def area(width, height):\n    return width * width\n",
    after="def area(width, height):\n    return width * height\n",
)
