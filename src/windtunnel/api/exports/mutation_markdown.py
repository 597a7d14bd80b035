"""A mutation run for a pull request: score, counts, and each mutant that tests did not notice as a diff, folded away.

Words of others are made harmless as in the comment of a trial; a diff stands in a fence longer than any in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from windtunnel.api.exports.markdown import harmless, within
from windtunnel.api.exports.mutation_sheets import Sheet, diff_text, sheets_of
from windtunnel.api.exports.mutation_words import MEANINGS, ORDER, SIGNS, aside, figures, score_words, verdict
from windtunnel.api.exports.text import counted, place, visible_lines
from windtunnel.core.mutation import Fate, Judged, MutationResult, State

_SHOWN, _NAMED, _MOST = 20, 20, 60_000
_MARKS = {"good": "✅", "warn": "⚠️", "bad": "❌"}
_TICKS = re.compile("`+")


def mutation_markdown(result: MutationResult, sources: Mapping[str, bytes]) -> str:
    """Never longer than a comment may be; what was left out is counted."""
    tone, words = verdict(result)
    score = score_words(result.judged, result.state)
    head = [f"### Windtunnel mutation: {_MARKS[tone]} **{score}**", words,
            *_table(result)]
    foot = f"<sub>{' '.join(figures(result))} · {result.execution_time:.1f} s</sub>"
    room = _MOST - sum(len(part) + 2 for part in (*head, foot))
    return "\n\n".join([*head, *within(_folded(result, sheets_of(result, sources)), room), foot]) + "\n"


def _table(result: MutationResult) -> list[str]:
    shown = [(f"{SIGNS[fate]} {fate}", result.counts[fate]) for fate in ORDER if fate in result.counts]
    if not shown:
        return []
    return ["\n".join(["| " + " | ".join(words for words, _ in shown) + " |", "|" + " ---: |" * len(shown),
                       "| " + " | ".join(str(number) for _, number in shown) + " |"])]


def _folded(result: MutationResult, sheets: Mapping[str, Sheet]) -> Iterable[str]:
    if result.state is State.JUDGED:
        for fate in (Fate.SURVIVED, Fate.UNTESTED):
            found = [one for one in result.judged if one.fate is fate]
            yield from (_mutant(one, sheets[one.mutant.path]) for one in found[:_SHOWN])
            if len(found) > _SHOWN:
                yield f"… {len(found) - _SHOWN} more that {'survived' if fate is Fate.SURVIVED else 'no test runs'}"
    for words, names in aside(result):
        yield _list(f"{counted(len(names), 'test')} set aside: {words}", [harmless(name) for name in names])
    if result.weak:
        yield _list(counted(len(result.weak), "weak test"), [
            f"{harmless(one.test)} {one.reason}" for one in result.weak])
    if result.notes:
        yield _list("notes", [harmless(note) for note in result.notes])


def _mutant(one: Judged, sheet: Sheet) -> str:
    mutant = one.mutant
    text = visible_lines(diff_text(mutant, sheet), most=4000)
    fence = "`" * max(3, 1 + max(map(len, _TICKS.findall(text)), default=0))
    tests = [f"{MEANINGS[one.fate]}: {', '.join(map(harmless, one.tests[:3]))}"] if one.tests else []
    title = f"{harmless(place(mutant.path, mutant.line))} {harmless(mutant.description)}"
    return "\n".join([f"<details><summary>{SIGNS[one.fate]} {one.fate} {title}</summary>", "", f"{fence}diff", text,
                      fence, *tests, "", "</details>"])


def _list(title: str, items: Sequence[str]) -> str:
    left = len(items) - _NAMED
    lines = [f"- {item}" for item in items[:_NAMED]] + ([f"- … {left} more"] if left > 0 else [])
    return "\n".join([f"<details><summary>{title}</summary>", "", *lines, "", "</details>"])
