"""The smallest part of a fix that still passes everything: each place is put back, and stays so if it may.

What a rule or the search proposes is one thought, such as a statement that moves: half of it may pass the tests and
would be wrong. So it is left whole, and of several such thoughts places that are near each other go together.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.combine import SEVERAL

_MOST_PARTS = 40
_NEAR = 8
"""Lines between two places of one thought."""
_WHOLE = frozenset({"rule", "syntax", "search"})


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
    whole = bool(base.steps) and all(step.origin in _WHOLE for step in base.steps)
    places = _near(parts_of(base)) if whole else [(part,) for part in parts_of(base)]
    single = whole and len(base.steps) == 1 and base.steps[0].name != SEVERAL
    if single or len(places) <= 1 or len(places) > _MOST_PARTS:
        return base.texts
    for place in reversed(tuple(places)):
        less = [one for one in places if one is not place]
        if less and passes(with_parts(base, [part for one in less for part in one])):
            places = less
    return base.kept(with_parts(base, [part for one in places for part in one]))


def _near(parts: Sequence[Part]) -> list[tuple[Part, ...]]:
    """Places that are near each other as one."""
    found: list[tuple[Part, ...]] = []
    for part in parts:
        last = found[-1][-1] if found else None
        if last is not None and last.path == part.path and part.first - last.end <= _NEAR:
            found[-1] = (*found[-1], part)
        else:
            found.append((part,))
    return found
