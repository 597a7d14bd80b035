"""The smallest part of a fix that still passes everything: each place is put back, and stays so if it may."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.engine.fix.base import Base

_MOST_PARTS = 40


@dataclass(frozen=True, slots=True)
class Part:
    """Lines of one file that became others."""

    path: str
    first: int
    end: int
    lines: tuple[str, ...]


def parts_of(base: Base) -> tuple[Part, ...]:
    """The places that the edits of a base change, in the order of the files."""
    found = []
    for path, text in sorted(base.texts.items()):
        old, new = (base.original(path) or "").splitlines(keepends=True), text.splitlines(keepends=True)
        codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        found += [Part(path, first, end, tuple(new[start:stop])) for tag, first, end, start, stop in codes
                  if tag != "equal"]
    return tuple(found)


def with_parts(base: Base, parts: Sequence[Part]) -> Mapping[str, str]:
    """The texts with these places changed and no other."""
    texts = {}
    for path in sorted({part.path for part in parts}):
        lines = (base.original(path) or "").splitlines(keepends=True)
        for part in sorted((one for one in parts if one.path == path), key=lambda one: -one.first):
            lines[part.first:part.end] = part.lines
        texts[path] = "".join(lines)
    return texts


def smallest(base: Base, passes: Callable[[Mapping[str, str]], bool]) -> Mapping[str, str]:
    """The texts that are left; those of the base where nothing can go.

    ``passes`` is asked once for each place, from the last to the first, so that what remains is needed: without any
    one of its places it no longer passes.
    """
    parts = list(parts_of(base))
    if len(parts) <= 1 or len(parts) > _MOST_PARTS:
        return base.texts
    for part in reversed(tuple(parts)):
        less = [one for one in parts if one is not part]
        if less and passes(with_parts(base, less)):
            parts = less
    return base.kept(with_parts(base, parts))
