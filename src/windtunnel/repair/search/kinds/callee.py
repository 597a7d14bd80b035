"""The wrong function or method: families of builtins, functions of the file with as many arguments, siblings."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.shapes import arity
from windtunnel.repair.search.site import Edit, Kind, Site, change, shorten

_FAMILIES = (
    ("min", "max"),
    ("any", "all"),
    ("sum", "len", "max", "min"),
    ("sorted", "reversed", "list"),
    ("list", "set", "tuple"),
    ("int", "float", "round", "str"),
    ("floor", "ceil"),
    ("abs", "int"),
    ("range", "enumerate"),
    ("chr", "ord"),
    ("zip", "map"),
    ("isinstance", "issubclass"),
    ("iter", "next"),
    ("filter", "map"),
    ("sin", "cos"),
)
_METHODS = (
    ("append", "extend", "add"),
    ("append", "appendleft"),
    ("pop", "popleft"),
    ("find", "index", "rfind"),
    ("lower", "upper"),
    ("add", "update", "discard"),
    ("startswith", "endswith"),
    ("strip", "lstrip", "rstrip"),
    ("keys", "values", "items"),
    ("split", "splitlines", "rsplit"),
    ("isdigit", "isalpha", "isalnum"),
    ("isupper", "islower"),
    ("union", "intersection", "difference", "symmetric_difference"),
    ("get", "pop", "setdefault"),
    ("remove", "discard", "append"),
    ("ljust", "rjust", "center"),
    ("sort", "reverse"),
    ("insert", "append"),
    ("title", "capitalize", "upper"),
    ("partition", "rpartition"),
    ("ceil", "floor", "trunc"),
    ("partition", "split"),
    ("removeprefix", "removesuffix"),
    ("heappush", "heappop"),
    ("issubset", "issuperset"),
    ("swapcase", "upper", "lower"),
)


def edits(site: Site) -> Iterator[Edit]:
    """Each callee of the statement by its relatives."""
    for node in site.nodes:
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name):
            yield from _functions(site, node, node.func)
        elif isinstance(node.func, ast.Attribute):
            yield from _methods(site, node, node.func)
            yield from _ended(site, node, node.func)


def _functions(site: Site, node: ast.Call, callee: ast.Name) -> Iterator[Edit]:
    yield from _relatives(site, callee, callee.id, _FAMILIES)
    others = [name for name, other in site.module.definitions.items() if name != callee.id and _takes(other, node)]
    for name in others if callee.id in site.module.definitions else ():
        yield change(site, callee, name, min(0.02, 0.06 / (1 + len(others))), why="another function of the file")


def _relatives(
    site: Site, callee: ast.Name | ast.Attribute, own: str, families: tuple[tuple[str, ...], ...]
) -> Iterator[Edit]:
    """Opposites first: families of two are mistaken for each other more often than larger ones."""
    found: dict[str, float] = {}
    for family in families:
        for name in family if own in family else ():
            found.setdefault(name, 0.05 if len(family) == 2 else 0.03 / len(family))  # noqa: PLR2004 -- a pair of opposites
    prefix = f"{site.text(callee.value)}." if isinstance(callee, ast.Attribute) else ""
    for name, prior in found.items():
        if name != own:
            yield change(site, callee, prefix + name, prior, why="a relative of it")


def _takes(function: ast.FunctionDef | ast.AsyncFunctionDef, node: ast.Call) -> bool:
    least, most = arity(function)
    return least <= len(node.args) + len(node.keywords) <= most


def _methods(site: Site, node: ast.Call, callee: ast.Attribute) -> Iterator[Edit]:
    base = site.text(callee.value)
    yield from _relatives(site, callee, callee.attr, _METHODS)
    owner = site.function.owner if site.function else None
    if owner is None or base not in {"self", "cls"}:
        return
    others = [
        one.name
        for one in owner.body
        if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)
        and one.name != callee.attr
        and not one.name.startswith("__")
        and _takes(one, node)
    ]
    for name in others:
        yield change(site, callee, f"{base}.{name}", min(0.02, 0.06 / (1 + len(others))), why="a sibling method")


def _ended(site: Site, node: ast.Call, callee: ast.Attribute) -> Iterator[Edit]:
    """The other end: ``pop()`` and ``pop(0)``."""
    if callee.attr != "pop" or node.keywords or len(node.args) > 1:
        return
    base = site.text(callee)
    others = ("", "-1") if node.args else ("0",)
    for text in others:
        reason = f"`{shorten(site.text(node))}` takes the other end."
        yield Edit(prior=0.03, reason=reason, splices=site.replace(node, f"{base}({text})"))


KIND = Kind(
    name="callee",
    bound=0.06,
    edits=edits,
    before="def smallest(items):\n    return max(items)\n",
    after="def smallest(items):\n    return min(items)\n",
)
