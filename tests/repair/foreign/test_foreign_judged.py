"""Search against real compilers and runtimes: the first proposal that passes is the right one."""

from __future__ import annotations

from itertools import islice

import pytest

pytest.importorskip("tree_sitter", reason="windtunnel[syntax] is not installed")

from foreign_cases import cases
from foreign_judges import answers, missing

from windtunnel.repair.foreign import search

MOST = 12
"""Proposals judged of each fault: enough for those that are tried here."""
FAULTS = {
    "javascript": ("clamp-0", "clamp-1", "average-1", "overdue-0", "overdue-1", "shift-1", "shift-3", "second-3", "fee-1",
                   "fee-2", "streak-3", "later-0"),
    "typescript": ("ledger-0", "ledger-1", "initials-0", "pages-0", "pages-2", "merge-0", "merge-1", "merge-3"),
    "java": ("grade-0", "balance-0", "balance-1", "longest-0", "longest-2", "mean-0", "same-0", "steps-0", "steps-1",
             "unique-2", "distance-1", "discount-0"),
    "go": ("positives-0", "positives-1", "minutes-0", "minutes-3", "depth-0", "depth-3", "indexes-1", "chunks-2", "leap-0",
           "leap-1", "peak-0", "title-0"),
    "rust": ("even-0", "even-1", "even-2", "triangle-0", "clamp-0", "clamp-1", "peak-0", "change-0", "window-1", "votes-0",
             "votes-3", "gap-1"),
}


def judged(language, folder):
    """By fault: whether the broken one passes, and whether the first that passes is right; None where none passes."""
    chosen = [case for case in cases(language) if case.name in FAULTS[language]]
    asked, first = [], []
    for case in chosen:
        questions = case.checks + case.hidden
        first.append(len(asked))
        proposed = [proposal.edits[0].text for proposal in islice(search(case.scene), MOST)]
        asked += [(text, questions) for text in (case.good, case.broken, *proposed)]
    said = answers(language, asked, folder)
    ends = [*first[1:], len(asked)]
    return {case.name: _outcome(case, said[start:end]) for case, start, end in zip(chosen, first, ends, strict=True)}


def _outcome(case, said):
    good, broken, *others = said
    asked = len(case.checks)
    passing = [one for one in others if one is not None and one[:asked] == good[:asked]]
    return broken is not None and broken[:asked] == good[:asked], passing[0] == good if passing else None


@pytest.mark.slow
@pytest.mark.parametrize("language", FAULTS)
def test_the_first_proposal_that_passes_is_right(language, tmp_path):
    if missing(language):
        pytest.skip(missing(language))

    outcomes = judged(language, tmp_path)

    right = [name for name, outcome in outcomes.items() if outcome == (False, True)]
    wrong = [name for name, outcome in outcomes.items() if outcome[1] is False or outcome[0]]
    assert (len(outcomes), wrong, len(right) >= 0.6 * len(outcomes)) == (len(FAULTS[language]), [], True)
