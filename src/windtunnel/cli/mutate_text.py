"""A mutation run as a person reads it in a terminal, and the scores of a project over time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from windtunnel.api.exports.mutation_sheets import Sheet, diff_text, sheets_of
from windtunnel.api.exports.mutation_words import ORDER, SIGNS, aside, figures, score_words, verdict
from windtunnel.api.exports.text import line_ranges, visible
from windtunnel.cli.render import colour
from windtunnel.cli.suggest_text import suggested
from windtunnel.core.mutation import Fate, Judged, MutationResult, Weakness

if TYPE_CHECKING:
    from windtunnel.store.fates import Score

_TONES = {"good": "green", "warn": "yellow", "bad": "red"}
_MOST_DIFFS, _MOST_NAMES, _MOST_TESTS = 30, 10, 3
_BARS = "▁▂▃▄▅▆▇█"
_MOST_BARS = 60


def told(result: MutationResult, sources: Mapping[str, bytes]) -> str:
    """All of it: the survivors first, the score last, where the eye is when it is over."""
    sheets = sheets_of(result, sources)
    parts = [*_survivors(result, sheets), *_untested(result), *_others(result), *_weak(result), *_aside(result),
             *_notes(result), *suggested(result), _end(result)]
    return "\n\n".join(part for part in parts if part)


def _of(result: MutationResult, fate: Fate) -> list[Judged]:
    return [one for one in result.judged if one.fate is fate]


def _survivors(result: MutationResult, sheets: Mapping[str, Sheet]) -> Iterator[str]:
    found = _of(result, Fate.SURVIVED)
    for one in found[:_MOST_DIFFS]:
        mutant = one.mutant
        place = f"{mutant.path}:{mutant.line}" + (f" in {mutant.function}" if mutant.function else "")
        head = colour(f"{SIGNS[one.fate]} {visible(place)}", "bold") + f"  {mutant.operator}"
        yield "\n".join([head, *map(_diff_line, diff_text(mutant, sheets[mutant.path]).split("\n")), _ran(one)])
    if len(found) > _MOST_DIFFS:
        yield f"and {len(found) - _MOST_DIFFS} more survivors (--report html shows them all)"


def _diff_line(line: str) -> str:
    shown = "    " + visible(line)
    return colour(shown, "red") if line.startswith("-") else colour(shown, "green") if line.startswith("+") else shown


def _ran(one: Judged) -> str:
    if not one.reached and not one.tests:
        return colour("    all tests passed", "grey")
    tests = [visible(name) for name in one.tests[:_MOST_TESTS]]
    more = one.reached - len(tests)
    some = ", ".join(tests) + (f" and {more} more" if more > 0 and tests else "")
    return colour(f"    ran by {some or f'{one.reached} tests'}", "grey")


def _untested(result: MutationResult) -> Iterator[str]:
    """Folded by function: their lines."""
    found = sorted(_of(result, Fate.UNTESTED), key=lambda one: (one.mutant.path, one.mutant.function, one.mutant.line))
    if not found:
        return
    rows = []
    for (path, function), group in groupby(found, key=lambda one: (one.mutant.path, one.mutant.function)):
        lines = sorted({one.mutant.line for one in group})
        rows.append(f"  {visible(path)}  {visible(function or 'module level')}  {line_ranges(lines, most=_MOST_NAMES)}")
    yield "\n".join([colour(f"{SIGNS[Fate.UNTESTED]} no test runs", "bold"), *_few(rows, _MOST_DIFFS)])


def _others(result: MutationResult) -> Iterator[str]:
    for fate, words in ((Fate.TIMEOUT, "did not end in time"), (Fate.FAILED, "could not be tried")):
        rows = [f"  {visible(one.mutant.path)}:{one.mutant.line}  {visible(one.mutant.description)}"
                f"{f'  ({visible(one.why)})' if one.why else ''}" for one in _of(result, fate)]
        if rows:
            yield "\n".join([colour(f"{SIGNS[fate]} {words}", "bold"), *_few(rows, _MOST_NAMES)])


def _weak(result: MutationResult) -> Iterator[str]:
    for reason in (Weakness.ASSERTS_NOTHING, Weakness.NOTICES_NOTHING, Weakness.NEVER_FIRST):
        names = [f"  {visible(one.test)}" for one in result.weak if one.reason is reason]
        if names:
            yield "\n".join([colour(f"weak tests: {reason}", "bold"), *_few(names, _MOST_NAMES)])


def _aside(result: MutationResult) -> Iterator[str]:
    for words, names in aside(result):
        yield "\n".join([colour(f"tests set aside: they {words}", "bold"),
                         *_few([f"  {visible(name)}" for name in names], _MOST_NAMES)])


def _notes(result: MutationResult) -> Iterable[str]:
    return ["\n".join(visible(note) for note in result.notes)] if result.notes else []


def _end(result: MutationResult) -> str:
    tone, sentence = verdict(result)
    counts = "  ".join(f"{SIGNS[fate]} {count} {fate}" for fate in ORDER if (count := result.counts.get(fate)))
    score = f"score {score_words(result.judged, result.state)}"
    lines = [colour(sentence, _TONES[tone]), *(figures(result) if result.judged and result.tests else []),
             f"{colour(score, 'bold')}  {counts}  in {result.execution_time:.1f} s"]
    return "\n".join(line for line in lines if line)


def _few(rows: Sequence[str], most: int) -> list[str]:
    return [*rows[:most], *([f"  and {len(rows) - most} more"] if len(rows) > most else [])]


def chart(scores: Sequence[Score], *, now: float) -> str:
    """A line of bars from 0 to 100 %, and the last runs in words; ``now`` in seconds since 1970."""
    if not scores:
        return "no run of this project was kept yet (windtunnel mutate)"
    bars = "".join(_BARS[min(len(_BARS) - 1, int(one.score * len(_BARS)))] for one in scores[-_MOST_BARS:])
    rows = [f"{time.strftime('%Y-%m-%d %H:%M', time.gmtime(one.time))}  {math.floor(1000 * one.score) / 10:5.1f} %  "
            f"{one.killed} killed, {one.survived} survived, {one.untested} untested{_between(one)}"
            for one in scores[-_MOST_NAMES:]]
    days = (now - scores[0].time) / 86400
    change = 100 * (scores[-1].score - scores[0].score)
    runs = f"{len(scores)} run{'s' * (len(scores) != 1)}"
    return "\n".join([bars, *rows, f"{runs} in {days:.0f} days, {change:+.1f} points"])


def _between(one: Score) -> str:
    if one.low is None or one.high is None:
        return ""
    return f", of all likely {100 * one.low:.1f} to {100 * one.high:.1f} %"
