"""A diagnosis for people: each problem with its place, its code and what came of it.

Every name and line comes from a program: control characters are written as escapes, long ones are cut.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from windtunnel.api.exports.text import counted, visible
from windtunnel.core.problem import Cluster, Diagnosis, Place, Problem, SourceLine

_FEW, _MOST_LINES, _MOST_TEXT = 3, 4, 200
_SHADES = {"error": "red", "warning": "yellow", "note": "grey"}

Line = tuple[str, str]
"""Text and the colour it may be shown in; no colour is an empty name."""


def page(result: Diagnosis, *, most: int, warnings: bool) -> Iterator[Line]:
    """The whole report: what is wrong, then where a fault may lie, then what was odd."""
    shown = [cluster for cluster in result.clusters if warnings or cluster.first.severity == "error"]
    roots = [cluster for cluster in shown if not _parent(cluster, shown)]
    hidden = len(result.clusters) - len(shown)
    head = counted(len(result.errors), "problem") if result.errors else "no problems"
    more = f" and {counted(hidden, 'warning')} (--warnings shows them)" if hidden else ""
    yield head + more, "bold"
    for number, cluster in enumerate(roots[:most], start=1):
        yield "", ""
        yield from _told(cluster, number=number, everyone=shown)
    if len(roots) > most:
        yield "", ""
        yield f"and {len(roots) - most} more (--most {len(roots)} shows them)", "grey"
    yield from _suspects(result)
    for note in result.notes[:10]:
        yield f"note: {visible(note, most=_MOST_TEXT)}", "grey"


def _parent(cluster: Cluster, everyone: Sequence[Cluster]) -> bool:
    """Whether it is shown below the one that caused it."""
    cause = cluster.first.caused_by
    return bool(cause) and any(cause in {one.fingerprint for one in other.problems} for other in everyone
                               if other is not cluster)


def _told(cluster: Cluster, *, number: int, everyone: Sequence[Cluster]) -> Iterator[Line]:
    first = cluster.first
    times = f"  ({len(cluster.problems)} times)" if len(cluster.problems) > 1 else ""
    yield f"{number}. {first.kind}: {_headline(first)}{times}", _SHADES.get(first.severity, "")
    if first.place is not None:
        yield f"   {_at(first.place)}", "bold"
    yield from ((text, "") for text in _window(first.window, first.place))
    if first.expected is not None:
        wanted, got = (visible(value or "", most=_MOST_TEXT) for value in (first.expected, first.actual))
        yield f"   expected {wanted}, got {got}", ""
    for test in cluster.tests[:_FEW]:
        yield f"   test: {visible(test, most=_MOST_TEXT)}", "grey"
    if len(cluster.tests) > _FEW:
        yield f"   and {len(cluster.tests) - _FEW} more tests", "grey"
    yield from _effects(cluster, everyone)
    for cause in first.causes[:1]:
        yield f"   often: {cause}", "grey"


def _headline(problem: Problem) -> str:
    words = " ".join(line.strip() for line in problem.message.splitlines()[:_MOST_LINES] if line.strip())
    name = problem.name if problem.name and problem.name != problem.kind and problem.name not in words else ""
    return visible(f"{name}: {words}" if name and words else words or name, most=_MOST_TEXT)


def _at(place: Place) -> str:
    where = place.file if place.line is None else f"{place.file}:{place.line}"
    return visible(f"{where} in {place.symbol}" if place.symbol else where, most=_MOST_TEXT)


def _window(window: Sequence[SourceLine], place: Place | None) -> Iterator[str]:
    width = len(str(window[-1].number)) if window else 0
    for line in window:
        mark = ">" if place is not None and line.number == place.line else " "
        text = visible(line.text.expandtabs(4), most=_MOST_TEXT)
        yield f"   {mark} {str(line.number).rjust(width)} | {text}".rstrip()


def _effects(cluster: Cluster, everyone: Sequence[Cluster]) -> Iterator[Line]:
    """What came of it: errors that were raised while or because of it, and followers of a compiler."""
    own = {one.fingerprint for one in cluster.problems}
    followers = [other.first for other in everyone if other is not cluster and other.first.caused_by in own]
    for one in followers[:_FEW]:
        yield f"   then {one.kind}: {_headline(one)}{f' at {_at(one.place)}' if one.place else ''}", ""
    if len(followers) > _FEW:
        yield f"   and {len(followers) - _FEW} more that it caused", ""


def _suspects(result: Diagnosis) -> Iterator[Line]:
    if result.suspects:
        yield "", ""
        yield "where failing tests went and others did not:", "bold"
    for one in result.suspects[:5]:
        yield (f"   {one.score:.2f}  {_at(one.place)}  ({counted(one.failing, 'failing test')}, "
               f"{one.passing} passing)"), ""
