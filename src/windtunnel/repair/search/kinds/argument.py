"""Arguments: one too few, one too many, keywords that change the order or the default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.shapes import Definition, parameters
from windtunnel.repair.search.site import Edit, Kind, Site, change
from windtunnel.repair.search.types import UNKNOWN, likeness

_ORDERED = frozenset({"sorted", "sort", "min", "max"})
_KEYS = ("len", "abs", "str", "sum", "str.lower", "int")


def edits(site: Site) -> Iterator[Edit]:
    """Calls with an argument more, an argument less, or another keyword."""
    for node in site.nodes:
        if isinstance(node, ast.Call):
            yield from _fewer(site, node)
            yield from _more(site, node)
            yield from _keywords(site, node)


def _written(site: Site, node: ast.Call, parts: list[str]) -> str:
    return f"{site.text(node.func)}({', '.join(parts)})"


def _parts(site: Site, node: ast.Call) -> list[str]:
    plain = [site.text(one) for one in node.args]
    if len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp) and not node.keywords:
        plain = [plain[0] if plain[0].startswith("(") else f"({plain[0]})"]
    return plain + [
        f"{one.arg}={site.text(one.value)}" if one.arg else f"**{site.text(one.value)}" for one in node.keywords
    ]


def _fewer(site: Site, node: ast.Call) -> Iterator[Edit]:
    parts = _parts(site, node)
    for position in range(len(parts)) if len(parts) > 1 else ():
        left = [one for index, one in enumerate(parts) if index != position]
        yield change(
            site, node, _written(site, node, left), 0.008 if position < len(node.args) else 0.02, why="an argument less"
        )


def _called(site: Site, node: ast.Call) -> Definition | None:
    if isinstance(node.func, ast.Name):
        return site.module.definitions.get(node.func.id)
    owner = site.function.owner if site.function else None
    if owner is None or not isinstance(node.func, ast.Attribute):
        return None
    name = node.func.attr
    return next(
        (one for one in owner.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef) and one.name == name),
        None,
    )


def _more(site: Site, node: ast.Call) -> Iterator[Edit]:
    """A value for a parameter that the call leaves to its default, or one more for a builtin that takes it."""
    function, parts = _called(site, node), _parts(site, node)
    if function is not None:
        missing = [name for name in parameters(function) if name not in {"self", "cls"}][len(node.args) :]
        given = {one.arg for one in node.keywords}
        for name in [one for one in missing if one not in given][:1]:
            for value, chance in site.visible(node).items():
                prior = 0.03 if value == name else 0.006
                yield change(
                    site, node, _written(site, node, [*parts, value]), prior * chance, why=f"with a value for `{name}`"
                )
    elif (
        isinstance(node.func, ast.Name)
        and node.func.id in {"min", "max", "round", "int", "range"}
        and len(node.args) == 1 + (node.func.id in {"min", "max"})
    ):
        for name in site.of_type("int", "float"):
            yield change(site, node, _written(site, node, [*parts, name]), 0.006, why="with one more value")
        yield change(site, node, _written(site, node, [*parts, "2"]), 0.004 if node.func.id == "round" else 0.001)
    elif isinstance(node.func, ast.Attribute) and node.func.attr in {"split", "strip", "get", "rstrip", "join"}:
        yield from _filled(site, node, parts)


def _filled(site: Site, node: ast.Call, parts: list[str]) -> Iterator[Edit]:
    assert isinstance(node.func, ast.Attribute)
    if node.func.attr == "get" and len(parts) == 1:
        for text in ("0", "[]", "''", "None", "{}", "False"):
            yield change(
                site, node, _written(site, node, [*parts, text]), 0.012 if text == "0" else 0.006, why="with a default"
            )
    elif node.func.attr in {"split", "strip", "rstrip"} and not parts:
        strings = [text for text in site.module.constants if text[:1] in "'\""]
        for text in dict.fromkeys(["','", "' '", "'\\n'", *strings[:8], *site.of_type("str")]):
            yield change(site, node, _written(site, node, [text]), 0.004)
    elif node.func.attr == "split" and len(parts) == 1:
        yield change(site, node, _written(site, node, [*parts, "1"]), 0.008, why="once only")


def _keywords(site: Site, node: ast.Call) -> Iterator[Edit]:
    name = (
        node.func.id
        if isinstance(node.func, ast.Name)
        else node.func.attr
        if isinstance(node.func, ast.Attribute)
        else ""
    )
    given, parts = {one.arg for one in node.keywords}, _parts(site, node)
    if name not in _ORDERED:
        return
    if "reverse" not in given and name in {"sorted", "sort"}:
        yield change(site, node, _written(site, node, [*parts, "reverse=True"]), 0.025, why="the other way round")
    if "default" not in given and name in {"min", "max"} and len(node.args) == 1:
        yield change(site, node, _written(site, node, [*parts, "default=0"]), 0.012, why="with a default")
    if "key" not in given:
        functions = [
            one for one, kinds in site.types.items() if likeness(frozenset({"function"}), kinds or UNKNOWN) == 1
        ]
        for key in (*_KEYS, *functions, *list(site.module.definitions)[:5]):
            yield change(
                site, node, _written(site, node, [*parts, f"key={key}"]), 0.006, why="ordered by something else"
            )
        for place in (1, 0):
            yield change(site, node, _written(site, node, [*parts, f"key=lambda item: item[{place}]"]), 0.006)


KIND = Kind(
    name="argument",
    bound=0.03,
    edits=edits,
    before="def best(items):\n    return sorted(items)[0]\n",
    after="def best(items):\n    return sorted(items, reverse=True)[0]\n",
)
