"""A branch that is missing: an ``else`` with what its siblings do."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from windtunnel.repair.search.kinds.copied import copies
from windtunnel.repair.search.kinds.insertion import templates
from windtunnel.repair.search.shapes import ENDS
from windtunnel.repair.search.site import Edit, Kind, Site, shorten
from windtunnel.repair.search.splice import Splice

_MANY = 80


def edits(site: Site) -> Iterator[Edit]:
    """An ``else`` for an ``if`` that has none and goes on afterwards."""
    statement = site.statement
    if (
        not isinstance(statement, ast.If)
        or statement.orelse
        or isinstance(statement.body[-1], ENDS)
        or site.function is None
    ):
        return
    text = site.module.text
    start, end = text.span(statement)
    indent = text.data[text.line_start(start) : start].decode()
    indent = indent[: len(indent) - len(indent.lstrip())]
    following = text.line_end(end)
    closed = text.data[:following].endswith((b"\n", b"\r"))
    for lines, prior in _bodies(site):
        body = "".join(f"{indent}{site.step}{line}{text.newline}" for line in lines)
        whole = f"{'' if closed else text.newline}{indent}else:{text.newline}{body}"
        yield Edit(
            prior=prior,
            reason=f"otherwise `{shorten(lines[0])}`.",
            splices=(Splice(following, following, whole),),
        )


def _bodies(site: Site) -> Iterator[tuple[tuple[str, ...], float]]:
    for lines, prior in copies(site):
        yield lines, prior * 0.8
    for text, prior in list(templates(site))[:_MANY]:
        yield (text,), prior * 0.6


KIND = Kind(
    name="alternative",
    bound=0.02,
    edits=edits,
    before=(
        "def longest(items: list):\n"
        "    best = 0\n"
        "    now = 0\n"
        "    for one in items:\n"
        "        if one:\n"
        "            now += 1\n"
        "            best = max(best, now)\n"
        "    return best\n"
    ),
    after=(
        "def longest(items: list):\n"
        "    best = 0\n"
        "    now = 0\n"
        "    for one in items:\n"
        "        if one:\n"
        "            now += 1\n"
        "            best = max(best, now)\n"
        "        else:\n"
        "            now = 0\n"
        "    return best\n"
    ),
)
