"""A statement that is missing here and stands elsewhere in the function or file, its names adapted."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.search.shapes import ENDS, LOOPS, names_in
from windtunnel.repair.search.site import Edit, Kind, Site, shorten
from windtunnel.repair.search.types import UNKNOWN, UNSURE, likeness

_LONGEST = 3
_MANY = 60


def edits(site: Site) -> Iterator[Edit]:
    """Copies before the statement, and after it where it ends its block."""
    if site.function is None or site.indent is None or isinstance(site.statement, ast.FunctionDef | ast.ClassDef):
        return
    last = site.index == len(site.block) - 1 and not isinstance(site.statement, ENDS)
    neighbours = {
        site.text(site.statement),
        *(site.text(one) for one in site.block[max(0, site.index - 1) : site.index]),
    }
    for lines, prior in copies(site):
        if "\n".join(lines) in neighbours:
            continue
        yield Edit(
            prior=prior,
            reason=f"`{shorten(lines[0])}` before it, as elsewhere.",
            splices=site.before(*lines),
        )
        if last:
            yield Edit(
                prior=prior,
                reason=f"`{shorten(lines[0])}` after it, as elsewhere.",
                splices=site.after(*lines),
            )


def copies(site: Site) -> Iterator[tuple[tuple[str, ...], float]]:
    """Short statements of the function as lines, each also with one name exchanged, with their priors."""
    assert site.function is not None
    seen: set[tuple[str, ...]] = set()
    for one in site.function.statements[:_MANY]:
        lines = _lines(site, one)
        if not lines or one is site.statement:
            continue
        base = 0.01 if isinstance(one, ast.Expr | ast.AugAssign | ast.If) else 0.006
        if isinstance(one, ast.Return):
            base = 0.003
        elif isinstance(one, ast.Assign) and site.in_loop and _is_first(one):
            base = 0.014
        flushed = _is_flush(site, one)
        for other, share in (
            (lines, 1.0),
            *_adapted(site, lines, names_in(one)),
            *(_flushed(site, lines, names_in(one)) if flushed else ()),
        ):
            if other not in seen:
                seen.add(other)
                yield other, base * share * (1.6 if flushed else 1.0)


def _is_first(statement: ast.Assign) -> bool:
    """Whether it gives a name a first value, as loops do again for each group."""
    return (
        isinstance(statement.value, ast.Constant | ast.UnaryOp) or not list(ast.iter_child_nodes(statement.value))[1:]
    )


def _is_flush(site: Site, statement: ast.stmt) -> bool:
    """Whether the place is after a loop that holds the statement: what is done for each group, and the last one."""
    above = site.block[site.index - 1] if site.index else None
    return isinstance(above, LOOPS) and above.lineno < statement.lineno <= (above.end_lineno or 0)


def _flushed(site: Site, lines: tuple[str, ...], names: list[str]) -> Iterator[tuple[tuple[str, ...], float]]:
    for name in names:
        kinds = site.types.get(name, UNKNOWN)
        if kinds & {"list", "str", "set", "dict", "int"} and name != names[0]:
            yield (f"if {name}:", *(f"{site.step}{line}" for line in lines)), 0.9
        if kinds & {"int"}:
            pattern = re.compile(rf"(?<![\w.]){re.escape(name)}\b")
            for held in site.of_type("list", "str"):
                yield tuple(pattern.sub(f"len({held})", line) for line in lines), 0.5


def _lines(site: Site, statement: ast.stmt) -> tuple[str, ...]:
    """A short statement as lines without its indentation; nothing where it cannot be copied."""
    if isinstance(statement, ast.Break | ast.Continue) and not site.in_loop:
        return ()
    if isinstance(statement, ast.FunctionDef | ast.ClassDef | ast.For | ast.While | ast.Import | ast.ImportFrom):
        return ()
    indent = site.module.text.indent(statement)
    lines = site.text(statement).splitlines()
    if indent.strip() or len(lines) > _LONGEST or any(not line.startswith(indent) for line in lines[1:]):
        return ()
    visible = site.visible()
    assert site.function is not None
    if any(
        visible.get(name, 1.0) < 1.0 for name in names_in(statement) if name in site.function.locals
    ) and not isinstance(statement, ast.Assign):
        return ()
    return (lines[0], *(line[len(indent) :] for line in lines[1:]))


def _adapted(site: Site, lines: tuple[str, ...], names: list[str]) -> Iterator[tuple[tuple[str, ...], float]]:
    """With one name exchanged for another of its type, or counting the other way."""
    for one, other in ((" += ", " -= "), (" -= ", " += ")):
        if one in lines[0]:
            yield (lines[0].replace(one, other, 1), *lines[1:]), 0.5
    others = [name for name, chance in site.visible().items() if chance == 1.0 and name not in {"self", "cls"}]
    for old in names:
        for new in others:
            kinds = site.types.get(old, UNKNOWN)
            if old != new and old in others and likeness(kinds, site.types.get(new, UNKNOWN)) >= UNSURE:
                pattern = re.compile(rf"(?<![\w.]){re.escape(old)}\b")
                yield tuple(pattern.sub(new, line) for line in lines), 0.3 if new in names else 0.4


KIND = Kind(
    name="copied",
    bound=0.024,
    edits=edits,
    before=(
        "def groups(items: list):\n"
        "    found = []\n"
        "    group = []\n"
        "    for one in items:\n"
        "        if one is None:\n"
        "            found.append(group)\n"
        "            group = []\n"
        "        else:\n"
        "            group.append(one)\n"
        "    return found\n"
    ),
    after=(
        "def groups(items: list):\n"
        "    found = []\n"
        "    group = []\n"
        "    for one in items:\n"
        "        if one is None:\n"
        "            found.append(group)\n"
        "            group = []\n"
        "        else:\n"
        "            group.append(one)\n"
        "    found.append(group)\n"
        "    return found\n"
    ),
)
