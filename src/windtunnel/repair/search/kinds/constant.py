"""Constants: one off, the usual suspects, and others that the file uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.precedence import ATOM, UNARY
from windtunnel.repair.search.site import Edit, Kind, Site, change

_FEW = 12
_USUAL = ("''", "' '", "','", "', '", r"'\n'", "'-'", "'_'", "'.'", "'0'")


def edits(site: Site) -> Iterator[Edit]:
    """Each constant of the statement by its relatives."""
    for node in site.nodes:
        if isinstance(node, ast.Constant) and not isinstance(site.statement, ast.Raise):
            counted = isinstance(site.statement, ast.AugAssign) and node is site.statement.value
            for text, prior in (*_others(site, node), *_names(site, node)):
                yield change(
                    site,
                    node,
                    quoted(site, node, text),
                    prior * (0.3 if counted and node.value == 1 else 1),
                    level=UNARY if text.startswith("-") else ATOM,
                )
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.Constant):
            yield change(site, node, site.text(node.operand), 0.02)
            if node.operand.value == 1:
                yield change(site, node, "0", 0.02)


def quoted(site: Site, node: ast.expr, text: str) -> str:
    """A string with the quotes of the one that it replaces."""
    plain = text[:1] == "'" and '"' not in text and "\\" not in text
    return f'"{text[1:-1]}"' if plain and site.text(node)[:1] == '"' else text


def _others(site: Site, node: ast.Constant) -> Iterator[tuple[str, float]]:
    value = node.value
    if isinstance(value, bool):
        yield str(not value), 0.06
        yield "None", 0.002
        statement = site.statement
        if (
            isinstance(statement, ast.Assign)
            and isinstance(statement.targets[0], ast.Name | ast.Attribute)
            and site.in_loop
        ):
            yield f"not {site.text(statement.targets[0])}", 0.02
    elif isinstance(value, int):
        yield from _numbers(value)
    elif isinstance(value, float):
        yield from _floats(value)
    elif value is None:
        yield from (("0", 0.006), ("[]", 0.006), ("False", 0.005), ("''", 0.004), ("True", 0.003), ("{}", 0.003))
    if isinstance(value, int | float | str) and not isinstance(value, bool):
        yield from _elsewhere(site, value)


def _names(site: Site, node: ast.Constant) -> Iterator[tuple[str, float]]:
    """A variable that should stand there."""
    kind = type(node.value).__name__
    names = site.of_type(kind) if kind in {"int", "float", "str"} and site.function else []
    for name in names:
        assert site.function is not None
        yield name, (0.02 if not site.function.uses.get(name) else 0.006) / (1 + len(names) / 3)


def _numbers(value: int) -> Iterator[tuple[str, float]]:
    if value in {0, 1}:
        yield str(1 - value), 0.035
        yield ("-1", 0.014) if value == 0 else ("2", 0.014)
        yield ("2", 0.002) if value == 0 else ("-1", 0.006)
    else:
        near = 0.015 if abs(value) < 1000 else 0.006  # noqa: PLR2004 -- large numbers are seldom counted
        yield str(value - 1), near
        yield str(value + 1), near
        yield from (("0", 0.004), ("1", 0.006), ("-1", 0.001))
        if value % 10 == 0:
            yield str(value * 10), 0.006
            yield str(value // 10), 0.006
            yield from ((str(value - 10), 0.003), (str(value + 10), 0.003))
        elif value % 5 == 0:
            yield from ((str(value - 5), 0.002), (str(value + 5), 0.002))
        yield str(value * 2), 0.002


def _floats(value: float) -> Iterator[tuple[str, float]]:
    for other in (0.0, 1.0, -value, value + 1, value - 1):
        yield repr(other), 0.004
    if value == float("inf"):
        yield "0", 0.01


def _elsewhere(site: Site, value: float | str) -> Iterator[tuple[str, float]]:
    """Constants of the same type that the file uses, the commonest first."""
    found = sorted(site.module.constants.items(), key=lambda one: -one[1])
    alike = [text for text, _ in found if text != repr(value) and (text[:1] in "'\"") == isinstance(value, str)]
    for text in alike[:_FEW]:
        yield text, 0.02 / (2 + len(alike[:_FEW]))
    for text in site.module.hints:
        if text not in alike and text != repr(value) and (text[:1] in "'\"") == isinstance(value, str):
            yield text, 0.0015
    if isinstance(value, str):
        yield from ((text, 0.006) for text in _USUAL if text != repr(value) and len(value) <= 2)  # noqa: PLR2004 -- what joins and splits
        cased = {
            value.lower(),
            value.upper(),
            value.swapcase(),
            value.strip(),
            f"{value} ",
            f" {value}",
            value[:-1],
            value[1:],
        } - {value}
        yield from ((repr(text), 0.003) for text in sorted(cased) if len(value) < _FEW)


KIND = Kind(
    name="constant",
    bound=0.06,
    edits=edits,
    before="def first(items):\n    return items[1]\n",
    after="def first(items):\n    return items[0]\n",
)
