"""The search: candidates in the order of how natural they read, until the compiler agrees."""

from __future__ import annotations

import ast
import heapq
import warnings
from collections.abc import Iterator

from windtunnel.repair.syntax.brackets import bracket_edits
from windtunnel.repair.syntax.edits import Candidate, Window, token_edits
from windtunnel.repair.syntax.fault import Fault, compile_fault
from windtunnel.repair.syntax.indents import indent_edits
from windtunnel.repair.syntax.model import model
from windtunnel.repair.syntax.quotes import quote_edits
from windtunnel.repair.syntax.region import Region, region_of
from windtunnel.repair.syntax.rewrites import line_rewrites, tab_rewrites, text_rewrites
from windtunnel.repair.syntax.triple import triple_edits

_FEW = 16
_AHEAD = 30
_SECOND = 3
_USELESS = 6.0
_ONLY_VALUES = (
    ast.Compare,
    ast.BinOp,
    ast.Name,
    ast.Attribute,
    ast.Tuple,
    ast.Subscript,
    ast.UnaryOp,
    ast.BoolOp,
    ast.List,
    ast.Dict,
    ast.Set,
    ast.Lambda,
)


def repair(text: str, *, path: str) -> Iterator[str]:  # noqa: ARG001 -- the contract names it
    """Texts that compile and differ little from this one, the likeliest first; none where it compiles already."""
    for fixed, _ in repairs(text):
        yield fixed


def repairs(text: str) -> Iterator[tuple[str, str]]:
    """(text, what was changed in words)."""
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
    if "triple-quoted" in fault.message:
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
    if "triple-quoted" not in fault.message:
        yield from ((fixed, "a triple quote") for fixed in triple_edits(text))


def _twice(region: Region, whole: str) -> Iterator[tuple[Candidate, str]]:
    """Two edits, where one does not do: the first must bring the parser further."""
    ranked = heapq.nlargest(_AHEAD, _candidates(region, whole), key=lambda one: one.score)
    tried = 0
    for candidate in ranked:
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


def _answers(region: Region, whole: str, *, tries: int = 60) -> Iterator[tuple[Candidate, str]]:
    """What parses, by score less what the tree costs; a few are looked at together, since the tree tells more."""
    waiting: list[tuple[float, int, Candidate, str]] = []
    for number, (candidate, part) in enumerate(_parsing(region, whole, tries)):
        while waiting and -waiting[0][0] >= candidate.score:
            _, _, best, text = heapq.heappop(waiting)
            yield best, text
        if part is None:
            continue
        heapq.heappush(waiting, (_useless(part, region.before) - candidate.score, number, candidate, part))
    while waiting:
        _, _, best, text = heapq.heappop(waiting)
        yield best, text


def _parsing(region: Region, whole: str, tries: int) -> Iterator[tuple[Candidate, str | None]]:
    """The likeliest candidates, each with its text where that parses."""
    told: set[str] = set()
    for candidate in heapq.nlargest(tries, _candidates(region, whole), key=lambda one: one.score):
        part = candidate.apply(region.text)
        if part not in told:
            told.add(part)
            yield candidate, part if region.check(part) is None else None


def _useless(text: str, before: str) -> float:
    """What statements cost that only compute something: few people write them."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(before + text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 0.0
    return _USELESS * sum(
        isinstance(node, ast.Expr) and isinstance(node.value, _ONLY_VALUES) for node in ast.walk(tree)
    )


def _candidates(region: Region, whole: str) -> Iterator[Candidate]:
    window = Window(region, model(), whole=whole)
    if not window.tokens:
        return
    yield from token_edits(window)
    yield from bracket_edits(window)
    yield from quote_edits(window)
    yield from indent_edits(window)
    yield from line_rewrites(window)
