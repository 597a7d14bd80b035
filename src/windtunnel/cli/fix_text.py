"""A fix for people: what came of it, why, and what else was tried; the diff itself is told apart."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.api.exports.text import counted, visible
from windtunnel.core.repair import FixResult, FixState

_MOST = 300
_FEW = 15
_SHADES = {FixState.FIXED: "green", FixState.NOTHING: "green", FixState.UNFIXED: "red"}

Line = tuple[str, str]
"""Text and the colour it may be shown in; no colour is an empty name."""


def page(result: FixResult, *, explain: bool) -> Iterator[Line]:
    """For standard error, beside the diff."""
    yield f"{result.state}: {visible(result.reason, most=_MOST)}", _SHADES.get(result.state, "yellow")
    for warning in result.warnings:
        yield f"warning: {visible(warning, most=_MOST)}", "yellow"
    for why in result.explanation if explain or len(result.explanation) <= 2 else ():  # noqa: PLR2004 -- two lines tire nobody
        yield f"  {visible(why, most=_MOST)}", ""
    if result.state in (FixState.FIXED, FixState.DOUBTED):
        yield f"  confidence {result.confidence:.2f}, {_others(result)}", "grey"
    if result.applied:
        yield "applied; windtunnel undo takes it back", "green"
    if result.regression_test:
        yield "no test saw this; one that does was written (--regression-test FILE)", "grey"
    if result.question:
        yield f"question: {visible(result.question, most=2 * _MOST)}", "bold"
    if explain:
        yield from _tried(result)
    for note in result.notes[:10]:
        yield f"note: {visible(note, most=_MOST)}", "grey"


def _others(result: FixResult) -> str:
    count = len(result.alternatives)
    return f"{counted(count, 'other diff')} {'passes' if count == 1 else 'pass'} everything too" if count else (
        f"{result.tried} tried, {result.dropped} dropped before a test")


def _tried(result: FixResult) -> Iterator[Line]:
    yield f"{counted(result.tried, 'edit')} tried, {result.dropped} dropped before a test", "bold"
    helped = [one for one in result.attempts if one.outcome.startswith("fixes")]
    rest = [one for one in result.attempts if one not in helped]
    for one in sorted([*helped[-_FEW:], *rest[:max(0, _FEW - len(helped))]], key=lambda each: each.number):
        yield (f"  {one.number}. {visible(one.place, most=80)} {visible(one.reason, most=120)} "
               f"[{one.origin}: {one.name}]: {visible(one.outcome, most=80)}"), "grey"
    for number, diff in enumerate(result.alternatives, start=1):
        yield f"another diff that passes everything ({number}):", "bold"
        yield from ((visible(line, most=_MOST), "") for line in diff.splitlines()[:60])
