"""Among proposals that pass everything, the one that is likeliest to be right: small, natural, no value of a test.

``worth = score * generality / (1 + size / 40)``: the score is what the order learned about such proposals, size counts
the words and signs that change, and generality is 1, 0.4 for a constant that the tests have and the code had not, 0.05
for code that decides by one.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from windtunnel.core.repair import Proposal
from windtunnel.engine.fix.base import Base
from windtunnel.engine.fix.literals import borrowed, literals, special
from windtunnel.engine.fix.node import Plausible
from windtunnel.engine.fix.region import region_of

_TOKEN = re.compile(r"\w+|[^\w\s]")
_BORROWED, _SPECIAL = 0.4, 0.05
_MOST_TEST_FILES = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """A plausible fix and what speaks for it."""

    plausible: Plausible
    worth: float
    special: str
    """A value of the tests by which it decides; empty where none was seen."""
    diff: str


def weigh(
    plausible: Iterable[Plausible], *, score: Callable[[Proposal], float], tests: Sequence[str],
) -> list[Weighed]:
    """Best first; ``tests`` are the files of the failing tests."""
    found = list(plausible)
    known = _known(found[0].base, tests) if found else frozenset[str]()
    weighed = [_weighed(one, score=score(one.proposal), known=known) for one in found]
    return sorted(weighed, key=lambda one: -one.worth)


def _known(base: Base, tests: Sequence[str]) -> frozenset[str]:
    """The constants of the tests."""
    texts = [(path, base.original(path) or "") for path in tests[:_MOST_TEST_FILES]]
    return frozenset(name for path, text in texts for name in literals(text, path=path))


def _weighed(one: Plausible, *, score: float, known: frozenset[str]) -> Weighed:
    result = one.result
    pairs = [(path, result.original(path) or "", text) for path, text in result.texts.items()]
    decides = next((name for path, old, new in pairs if (name := special(old, new, path=path, tests=known))), "")
    takes = any(borrowed(old, new, path=path, tests=known) for path, old, new in pairs)
    generality = _SPECIAL if decides else _BORROWED if takes else 1.0
    size = sum(edit_size(old, new) for _, old, new in pairs)
    return Weighed(plausible=one, worth=score * generality / (1.0 + size / 40.0), special=decides, diff=result.diff())


def edit_size(old: str, new: str) -> int:
    """Words and signs that were taken out or put in."""
    region = region_of(old, new)
    before = _TOKEN.findall("".join(old.splitlines(keepends=True)[region.first - 1:region.old_end - 1]))
    after = _TOKEN.findall("".join(new.splitlines(keepends=True)[region.first - 1:region.new_end - 1]))
    if len(before) + len(after) > 4000:  # noqa: PLR2004 -- nobody reads on; comparing would take long
        return len(before) + len(after)
    codes = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return sum(max(last - first, end - start) for tag, first, last, start, end in codes if tag != "equal")
