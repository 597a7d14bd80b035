"""A statement that is missing, from templates filled with the names in scope."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.shapes import ENDS, names_in
from windtunnel.repair.search.site import Edit, Kind, Site, shorten
from windtunnel.repair.search.types import CONTAINERS, UNKNOWN, UNSURE, is_number, likeness

_MANY = 12


def edits(site: Site) -> Iterator[Edit]:
    """Each template before the statement, and after it where it ends its block."""
    if site.function is None or site.indent is None or isinstance(site.statement, ast.FunctionDef | ast.ClassDef):
        return
    last = site.index == len(site.block) - 1 and not isinstance(site.statement, ENDS)
    for text, prior in templates(site):
        where = shorten(site.text(site.statement).splitlines()[0])
        yield Edit(
            prior=prior, reason=f"`{text}` before `{where}`.", splices=site.before(text)
        )
        if last:
            yield Edit(
                prior=prior, reason=f"`{text}` after `{where}`.", splices=site.after(text)
            )


def templates(site: Site) -> Iterator[tuple[str, float]]:
    """Statements that loops and functions often hold, with their priors."""
    names = [name for name, chance in site.visible().items() if chance == 1.0 and name not in {"self", "cls"}][:_MANY]
    inside = 1.0 if site.in_loop else 0.3
    for name in names:
        yield from _counted(site, name, inside)
        yield from _kept(site, name, names, inside)
    yield from _progress(site)
    if (
        site.loop is not None
        and site.index == len(site.block) - 1
        and site.block is not getattr(site.loop, "body", None)
    ):
        yield from (("break", 0.012), ("continue", 0.004))
    for first in names:
        for second in names:
            yield from _assigned(site, first, second)


def _progress(site: Site) -> Iterator[tuple[str, float]]:
    """What brings a ``while`` nearer to its end."""
    if not isinstance(site.loop, ast.While) or site.block is not site.loop.body:
        return
    for name in names_in(site.loop.test):
        if is_number(site.types.get(name, UNKNOWN)):
            yield from (
                (f"{name} += 1", 0.02),
                (f"{name} -= 1", 0.02),
                (f"{name} //= 2", 0.003),
                (f"{name} //= 10", 0.003),
            )
        for other in site.visible():
            if other != name and likeness(site.types.get(name, UNKNOWN), site.types.get(other, UNKNOWN)) >= UNSURE:
                yield f"{name} = {other}", 0.02 if site.idle(other) else 0.006


def _counted(site: Site, name: str, inside: float) -> Iterator[tuple[str, float]]:
    kinds = site.types.get(name, UNKNOWN)
    assert site.function is not None
    own = name not in site.function.parameters
    if is_number(kinds):
        yield f"{name} += 1", (0.014 if own else 0.003) * inside
        yield f"{name} -= 1", (0.006 if own else 0.003) * inside
        yield f"{name} = 0", (0.006 if own else 0.001) * inside
    elif kinds & {"list"}:
        yield from (
            (f"{name}.sort()", 0.004),
            (f"{name}.pop()", 0.004 * inside),
            (f"{name}.reverse()", 0.003),
            (f"{name} = []", 0.005 * inside),
            (f"{name} = sorted({name})", 0.004),
            (f"{name} = list({name})", 0.003),
        )
    elif kinds & {"str"}:
        yield from (
            (f"{name} = ''", 0.004 * inside),
            (f"{name} = {name}.lower()", 0.004),
            (f"{name} = {name}.strip()", 0.004),
        )
    for attribute in ("next", "parent", "left", "right"):
        if attribute in site.module.attributes:
            yield f"{name} = {name}.{attribute}", 0.006 * inside


def _kept(site: Site, name: str, names: list[str], inside: float) -> Iterator[tuple[str, float]]:
    """Something put into a container."""
    kinds = site.types.get(name, UNKNOWN)
    parameter = site.function is not None and name in site.function.parameters
    method = {"list": "append", "set": "add", "deque": "append"}.get(
        next(iter(kinds & {"list", "set", "deque"}), ""), ""
    )
    share = 0.004 if parameter else 0.012
    for other in names if method else ():
        if other != name:
            fresh = 1.0 if not site.types.get(other, UNKNOWN) & {"dict", "set"} else 0.3
            yield f"{name}.{method}({other})", min(0.02, share * inside * fresh * (3 if site.idle(other) else 1))
            if site.types.get(other, UNKNOWN) & {"list"} and method == "append":
                yield f"{name}.extend({other})", share * inside * 0.4
    if method == "append":
        texts = [text for text in site.module.constants if len(text) < _MANY][:6]
        yield from ((f"{name}.append({text})", 0.003 * inside) for text in texts)
    if kinds & {"dict", "defaultdict", "Counter"}:
        for key in names:
            yield from (
                (f"{name}[{key}] = {value}", share * 0.4 * inside) for value in names if name not in {key, value}
            )
            if key != name:
                yield f"{name}[{key}] = {name}.get({key}, 0) + 1", share * 0.4 * inside


def _assigned(site: Site, first: str, second: str) -> Iterator[tuple[str, float]]:
    assert site.function is not None
    if first == second:
        return
    one, two = site.types.get(first, UNKNOWN), site.types.get(second, UNKNOWN)
    fit = likeness(one, two) * (0.4 if first in site.function.parameters else 1.0) * (1.0 if site.in_loop else 0.4)
    yield f"{first} = {second}", 0.006 * fit * (3 if site.idle(second) else 1)
    if is_number(one) and is_number(two):
        yield f"{first} += {second}", 0.005 * fit
        yield f"{first} -= {second}", 0.002 * fit
        yield f"{first} = max({first}, {second})", 0.004 * fit
        yield f"{first} = min({first}, {second})", 0.003 * fit
    elif one & CONTAINERS and one & two and one & {"list", "str"}:
        yield f"{first} += {second}", 0.004 * fit


KIND = Kind(
    name="insertion",
    bound=0.02,
    edits=edits,
    before=(
        "def walk(graph: dict, node):\n"
        "    seen = set()\n"
        "    todo = [node]\n"
        "    while todo:\n"
        "        one = todo.pop()\n"
        "        if one not in seen:\n"
        "            todo.extend(graph[one])\n"
        "    return seen\n"
    ),
    after=(
        "def walk(graph: dict, node):\n"
        "    seen = set()\n"
        "    todo = [node]\n"
        "    while todo:\n"
        "        one = todo.pop()\n"
        "        if one not in seen:\n"
        "            seen.add(one)\n"
        "            todo.extend(graph[one])\n"
        "    return seen\n"
    ),
)
