"""The search: the most natural candidates in their learned order, until the compiler agrees."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import replace

from windtunnel.repair.syntax.brackets import bracket_edits
from windtunnel.repair.syntax.edits import Candidate, Window, token_edits
from windtunnel.repair.syntax.fault import Fault, compile_fault
from windtunnel.repair.syntax.features import Habits
from windtunnel.repair.syntax.indents import indent_edits
from windtunnel.repair.syntax.model import model
from windtunnel.repair.syntax.quotes import quote_edits
from windtunnel.repair.syntax.ranking import rank, weighed
from windtunnel.repair.syntax.region import Region, region_of
from windtunnel.repair.syntax.rewrites import async_rewrites, line_rewrites, tab_rewrites, text_rewrites
from windtunnel.repair.syntax.slips import slip_edits
from windtunnel.repair.syntax.trees import tree_features, tree_of
from windtunnel.repair.syntax.triple import triple_edits, two_for_three

_FEW = 16
_AHEAD = 30
_SECOND = 3
NATURAL = 140
"""Candidates that are natural enough to be looked at more closely."""
_MANY = 60


def repairs(text: str) -> Iterator[tuple[str, str]]:
    """(text, what was changed in words), the likeliest first; none where the text compiles already."""
    fault = compile_fault(text)
    if fault is None:
        return
    told: set[str] = {text}
    for fixed, name in _tries(text, fault):
        if fixed not in told:
            told.add(fixed)
            if compile_fault(fixed) is None:
                yield fixed, name


def _tries(text: str, fault: Fault) -> Iterator[tuple[str, str]]:
    yield from text_rewrites(text)
    if fault.sort == "TabError" or "\t" in text:
        yield from tab_rewrites(text, fault.line)
    if "outside async function" in fault.message or "outside of an asynchronous" in fault.message:
        yield from async_rewrites(text, fault.line)
    triple = "triple-quoted" in fault.message or two_for_three(text)
    if triple:
        yield from ((fixed, "a triple quote") for fixed in triple_edits(text))
    region = region_of(text, fault)
    found = False
    for candidate, part in _answers(region, text):
        found = True
        yield text[: region.start] + part + text[region.end :], candidate.name
    if not found and region.end - region.start < len(text):
        whole = Region(0, len(text), text, "", fault)
        for candidate, part in _answers(whole, text, tries=_FEW):
            found = True
            yield part, candidate.name
    if not found:
        for candidate, part in _twice(region, text):
            yield text[: region.start] + part + text[region.end :], candidate.name
    if not triple:
        yield from ((fixed, "a triple quote") for fixed in triple_edits(text))


def _twice(region: Region, whole: str) -> Iterator[tuple[Candidate, str]]:
    """Two edits, where one does not do: the first must bring the parser further."""
    tried = 0
    for candidate in _ranked(region, whole)[:_AHEAD]:
        part = candidate.apply(region.text)
        fault = region.check(part)
        if (
            fault is None
            or (fault.line, fault.column) < (region.fault.line, region.fault.column)
            or fault.message == region.fault.message
        ):
            continue
        tried += 1
        yield from _answers(Region(0, len(part), part, region.before, fault), whole, tries=_FEW)
        if tried >= _SECOND:
            return


def _answers(region: Region, whole: str, *, tries: int = _MANY) -> Iterator[tuple[Candidate, str]]:
    """What parses, by rank less what the tree costs; a few are looked at together, since the tree tells more."""
    waiting: list[tuple[float, int, Candidate, str]] = []
    for number, (candidate, part) in enumerate(_parsing(region, whole, tries)):
        while waiting and -waiting[0][0] >= candidate.score:
            _, _, best, text = heapq.heappop(waiting)
            yield best, text
        if part is not None and (tree := tree_of(region, part)) is not None:
            value = candidate.score + weighed(tree_features(tree))
            heapq.heappush(waiting, (-value, number, candidate, part))
    while waiting:
        _, _, best, text = heapq.heappop(waiting)
        yield best, text


def _parsing(region: Region, whole: str, tries: int) -> Iterator[tuple[Candidate, str | None]]:
    """The likeliest candidates, each with its text where that parses."""
    told: set[str] = set()
    for candidate in _ranked(region, whole)[:tries]:
        part = candidate.apply(region.text)
        if part not in told:
            told.add(part)
            yield candidate, part if region.check(part) is None else None


def _ranked(region: Region, whole: str) -> list[Candidate]:
    """The most natural candidates in the order of their learned rank, which becomes their score."""
    window = Window(region, model(), whole=whole)
    habits = Habits(window)
    natural = heapq.nlargest(NATURAL, candidates(window), key=lambda one: one.score)
    return sorted((replace(one, score=rank(habits, one)) for one in natural), key=lambda one: -one.score)


def candidates(window: Window) -> Iterator[Candidate]:
    """Everything that is proposed for a fault, in no order."""
    if not window.tokens:
        return
    yield from token_edits(window)
    yield from bracket_edits(window)
    yield from quote_edits(window)
    yield from indent_edits(window)
    yield from line_rewrites(window)
    yield from slip_edits(window)
