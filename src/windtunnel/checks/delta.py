"""Which findings a change brought: only those count against it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import TypeAlias

from windtunnel.core.trial import LintResult

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?!\w)")
"""One that stands alone: a length or a count, which a change elsewhere moves; not part of a name."""
_FAR = 10**9
_MOST_PAIRS = 100_000

_Key: TypeAlias = tuple[str, str, str | None, str]
_Lines: TypeAlias = dict[int, int | None]
"""The line of each finding, by its place in the list."""


def new_findings(
    before: Sequence[LintResult], after: Sequence[LintResult], *, moved: Callable[[str], str] | None = None,
) -> tuple[tuple[LintResult, ...], int]:
    """The findings of ``after`` that ``before`` does not have, in order, and how many of ``before`` are gone.

    Findings are equal when tool, rule, path and message agree, numbers in the message and lines aside, and they are
    counted: the third equal finding in a file is new where there were two. Which of them is the new one is a guess:
    the one farthest from where the old ones were. ``moved`` says where a file of the unchanged project lies now.
    """
    old, new = _grouped(before, moved=moved), _grouped(after, moved=None)
    chosen = {at for key, found in new.items() for at in _extra(found, old.get(key, {}))}
    fixed = sum(max(0, len(found) - len(new.get(key, {}))) for key, found in old.items())
    return tuple(finding for at, finding in enumerate(after) if at in chosen), fixed


def _grouped(findings: Sequence[LintResult], *, moved: Callable[[str], str] | None) -> dict[_Key, _Lines]:
    groups: dict[_Key, _Lines] = defaultdict(dict)
    for at, finding in enumerate(findings):
        path = moved(finding.path) if moved and finding.path is not None else finding.path
        groups[finding.tool, finding.rule, path, _NUMBER.sub("0", finding.message)][at] = finding.line
    return groups


def _extra(found: _Lines, old: _Lines) -> list[int]:
    """Those beyond the number of old ones: pairs are made nearest first, and what finds no partner is new."""
    if len(found) <= len(old):
        return []
    if len(found) * len(old) > _MOST_PAIRS:
        return list(found)[len(old) :]
    pairs = sorted((_distance(line, was), at, place) for at, line in found.items() for place, was in old.items())
    known: set[int] = set()
    taken: set[int] = set()
    for _, at, place in pairs:
        if at not in known and place not in taken:
            known.add(at)
            taken.add(place)
    return [at for at in found if at not in known]


def _distance(one: int | None, other: int | None) -> int:
    if one is None or other is None:
        return 0 if one == other else _FAR
    return abs(one - other)
