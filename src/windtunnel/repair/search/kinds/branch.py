"""Branches: one too many, a loop's ``else``, an ``if`` that should be an ``elif``, a block without its condition."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from windtunnel.repair.search.shapes import ENDS
from windtunnel.repair.search.site import Edit, Kind, Site, shorten
from windtunnel.repair.search.splice import Splice

_ELSE = re.compile(rb"[ \t]*else[ \t]*:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)")


def edits(site: Site) -> Iterator[Edit]:
    """Changes of the form of an ``if``, a ``while`` or a loop."""
    statement = site.statement
    if isinstance(statement, ast.If) and site.indent is not None:
        yield from _bared(site, statement)
        yield from _joined(site)
        yield from _looped(site, statement)
        yield from _unelsed(site, statement)
    elif isinstance(statement, ast.While) and site.indent is not None:
        yield _worded(site, "while", "if", 0.006)
    if isinstance(statement, ast.If) and site.indent is None:
        yield from _split(site, statement)


def _worded(site: Site, old: str, new: str, prior: float) -> Edit:
    start = site.module.text.span(site.statement)[0]
    reason = f"`{old}` becomes `{new}`."
    return Edit(prior=prior, reason=reason, splices=(Splice(start, start + len(old), new),))


def _looped(site: Site, statement: ast.If) -> Iterator[Edit]:
    """``while`` for ``if``, where the body changes what the condition asks."""
    asked = {name.id for name in ast.walk(statement.test) if isinstance(name, ast.Name)}
    changed = {name.id for one in statement.body for name in ast.walk(one) if isinstance(name, ast.Name)}
    if asked & changed and not statement.orelse and not isinstance(statement.body[-1], ENDS):
        yield _worded(site, "if", "while", 0.012)


def _joined(site: Site) -> Iterator[Edit]:
    """``elif`` for an ``if`` that follows another ``if``."""
    above = site.block[site.index - 1] if site.index else None
    if isinstance(above, ast.If) and not above.orelse:
        yield _worded(site, "if", "elif", 0.02)


def _split(site: Site, statement: ast.If) -> Iterator[Edit]:
    """``if`` for an ``elif``."""
    start = site.module.text.span(statement)[0]
    if site.module.text.data[start : start + 4] == b"elif":
        reason = "`elif` becomes `if`."
        yield Edit(prior=0.012, reason=reason, splices=(Splice(start, start + 4, "if"),))


def _bared(site: Site, statement: ast.If) -> Iterator[Edit]:
    """The body without its condition."""
    body = Site(site.module, site.function, statement.body[0], statement.body, 0, site.suspicion)
    if statement.orelse or body.indent is None or site.indent is None:
        return
    start, end = site.lines()
    low = site.module.text.line_start(site.module.text.span(statement.body[0])[0])
    lines = site.module.text.data[low:end].decode().splitlines(keepends=True)
    text = "".join(site.indent + line[len(body.indent) :] if line.startswith(body.indent) else line for line in lines)
    reason = f"what is under `if {shorten(site.text(statement.test))}` always runs."
    yield Edit(prior=0.008, reason=reason, splices=(Splice(start, end, text),))


def _unelsed(site: Site, statement: ast.If) -> Iterator[Edit]:
    """Without the ``else``; with its body always."""
    other = statement.orelse
    if not other or (len(other) == 1 and isinstance(other[0], ast.If) and site.module.text.indent(other[0]).strip()):
        return
    text = site.module.text
    low, high = text.line_end(text.span(statement.body[-1])[1]), text.line_end(text.span(other[-1])[1])
    found = _ELSE.search(text.data, low, high)
    inner, outer = text.indent(other[0]), site.indent or ""
    if found is None or inner.strip():
        return
    reason = "its `else` goes."
    yield Edit(prior=0.006, reason=reason, splices=(Splice(found.start(), high, ""),))
    lines = text.data[found.end() : high].decode().splitlines(keepends=True)
    moved = "".join(outer + line[len(inner) :] if line.startswith(inner) else line for line in lines)
    yield Edit(
        prior=0.012,
        reason="what is under its `else` always runs.",
        splices=(Splice(found.start(), high, moved),),
    )


KIND = Kind(
    name="branch",
    bound=0.02,
    edits=edits,
    whole=True,
    before="def trimmed(text):\n    if text.endswith('x'):\n        text = text[:-1]\n    return text\n",
    after="def trimmed(text):\n    while text.endswith('x'):\n        text = text[:-1]\n    return text\n",
)
