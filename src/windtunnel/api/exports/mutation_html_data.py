"""What the script of the page shows: files by line, mutants with their diffs, names of tests once each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from windtunnel.api.exports.mutation_sheets import Sheet, by_path, diff
from windtunnel.api.exports.mutation_words import MEANINGS, NO_SCORE, ORDER, SIGNS, WAYS, score_words
from windtunnel.api.exports.text import visible
from windtunnel.core.mutation import Judged, MutationResult, State

_MOST_LINE, _MOST_NAME, _MOST_TESTS = 2000, 500, 50


class _Names:
    """Texts that come up again and again, as numbers."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self.numbers.setdefault(shown(name, most=_MOST_NAME), len(self.numbers))


def page_data(result: MutationResult, sheets: Mapping[str, Sheet]) -> dict[str, Any]:
    """Plain values; fates, tests, operators and functions are told by number."""
    names = _Names()
    tests = _suggested(result)
    files = [{"path": shown(path), "score": _score(found, result.state),
              "given": sheets[path].content is not None,
              "lines": [shown(line) for line in sheets[path].written],
              "mutants": [{**_mutant(one, sheets[path], names), **tests.get(one.mutant.id, {})} for one in found]}
             for path, found in by_path(result.judged).items()]
    fates = [{"name": str(fate), "of": str(fate).replace(" ", "-"), "sign": SIGNS[fate], "meaning": MEANINGS[fate]}
             for fate in ORDER]
    return {"fates": fates, "files": files, "names": list(names.numbers)}


def _suggested(result: MutationResult) -> dict[str, dict[str, Any]]:
    """By the mutant: the file for a test that would notice it, and the lines of that test; or why there is none."""
    if result.suggestions is None:
        return {}
    found: dict[str, dict[str, Any]] = {
        one.mutant: {"without": shown(one.reason, most=_MOST_NAME)} for one in result.suggestions.without}
    for test in result.suggestions.tests:
        lines = [shown(line) for line in [*test.imports, *([""] if test.imports else []), *test.code.split("\n")]]
        found |= {mutant: {"suggestion": [shown(test.path), lines]} for mutant in test.kills}
    return found


def _score(found: Sequence[Judged], state: State) -> str:
    words = score_words(found, state)
    return words if words == NO_SCORE else f"score {words}"


def _mutant(one: Judged, sheet: Sheet, names: _Names) -> dict[str, Any]:
    mutant = one.mutant
    return {
        "id": mutant.id, "fate": ORDER.index(one.fate), "line": mutant.line,
        "column": sheet.place(mutant.line, mutant.column) + 1, "operator": names.number(mutant.operator),
        "function": names.number(mutant.function), "what": shown(mutant.description, most=_MOST_NAME),
        "by": names.number(one.by), "way": WAYS.get(one.way, shown(one.way)),
        "seconds": round(one.seconds, 3), "reached": one.reached,
        "tests": [names.number(name) for name in one.tests[:_MOST_TESTS]],
        "more": max(len(one.tests) - _MOST_TESTS, 0),
        "diff": [[row.sign, *(shown(part) for part in (row.before, row.changed, row.after))]
                 for row in diff(mutant, sheet)]}


def shown(text: str, *, most: int = _MOST_LINE) -> str:
    """What cannot be seen is written as its escape, marks that turn the direction of a text included."""
    # Most lines of most files need nothing done to them.
    return text if len(text) <= most and text.isprintable() else visible(text.replace("\t", "    "), most=most)
