"""What a mutation run says, in words and numbers; one rule for all formats.

What holds: a run that judged nothing has no score and is never good, and a score is rounded down, so that 100 % is all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from windtunnel.api.exports.text import counted
from windtunnel.core.mutation import Fate, Judged, MutationResult, State

ORDER = (Fate.SURVIVED, Fate.UNTESTED, Fate.TIMEOUT, Fate.FAILED, Fate.NOT_JUDGED, Fate.KILLED, Fate.SAME)
"""What a reader has to see first, first."""
SIGNS: Mapping[Fate, str] = {
    Fate.SURVIVED: "✗", Fate.UNTESTED: "○", Fate.TIMEOUT: "◷", Fate.FAILED: "!", Fate.NOT_JUDGED: "?",
    Fate.KILLED: "✓", Fate.SAME: "="}
MEANINGS: Mapping[Fate, str] = {
    Fate.SURVIVED: "tests ran it, and none noticed", Fate.UNTESTED: "no test runs it",
    Fate.TIMEOUT: "it did not end in time; nobody knows whether a test would have noticed",
    Fate.FAILED: "it could not be tried", Fate.NOT_JUDGED: "its turn did not come",
    Fate.KILLED: "a test noticed it", Fate.SAME: "it changes nothing"}
WAYS = {"switched": "switched on in memory", "loaded": "loaded by a process made ready for it",
        "fresh": "loaded by a fresh process", "disk": "written into the file",
        "kept": "kept from an earlier run", "alone": "in a run of the tests of its own"}
NO_SCORE = "no score"
_STATES: Mapping[State, str] = {
    State.NO_MUTANTS: "nothing in what was asked about can be mutated",
    State.NO_TESTS: "no test was found",
    State.NO_TEST_PASSES: "no test passes without a mutant",
    State.NOT_NOTICED: "the tests pass whatever happens: a forced failure was not noticed",
    State.NONE_COUNTS: "all mutants timed out, could not be tried, or had no turn",
    State.BROKEN: "the tests did not come to their end"}


def state_words(state: State) -> str:
    """Why nothing was judged; empty where something was."""
    return "" if state is State.JUDGED else f"Nothing was judged: {_STATES.get(state, str(state))}."


def percent(killed: int, told: int) -> str:
    """Rounded down to a tenth."""
    return f"{1000 * killed // told / 10:.1f} %" if told else NO_SCORE


def score_words(judged: Iterable[Judged], state: State) -> str:
    """The score of some mutants of a run."""
    found = Counter(one.fate for one in judged)
    told = sum(number for fate, number in found.items() if fate.counts)
    return percent(found[Fate.KILLED], told) if state is State.JUDGED else NO_SCORE


def verdict(result: MutationResult) -> tuple[str, str]:
    """A tone (``good``, ``warn`` or ``bad``) and a sentence; good only where every mutant was judged and noticed."""
    counts = result.counts
    if result.state is not State.JUDGED:
        return "bad", state_words(result.state)
    missed = counts.get(Fate.SURVIVED, 0) + counts.get(Fate.UNTESTED, 0)
    open_ones = sum(counts.get(fate, 0) for fate in (Fate.TIMEOUT, Fate.FAILED, Fate.NOT_JUDGED))
    if missed:
        parts = [f"{counts[fate]} {fate}" for fate in ORDER[:2] if counts.get(fate)]
        return "warn", f"Tests would not have noticed {counted(missed, 'mutant')} ({', '.join(parts)})."
    if open_ones:
        return "warn", f"Every mutant that was judged was noticed; {open_ones} could not be judged."
    return "good", "Tests noticed every mutant."


def figures(result: MutationResult) -> list[str]:
    """What the fates rest on, one sentence each."""
    used = f"{counted(result.tests, 'test')} used, all passing without a mutant"
    tried = f"{counted(result.tries, 'mutant')} really tried"
    told = [f"{used}; {tried}: the others were kept from before, have no test, or had no turn."]
    if result.compared:
        told.append(f"{result.compared} fates found in memory were found again in a process that loaded the mutant; "
                    f"{result.differing} differed, and there the second counts.")
    if result.dropped:
        told.append(f"{counted(result.dropped, 'mutant')} compile to the same code and were never tried.")
    if (guess := result.estimate) is not None:
        told.append(f"Not all were judged: the score of all is likely between {100 * guess.low:.1f} % and "
                    f"{100 * guess.high:.1f} % (95 of 100 times, from a random draw of {guess.drawn}).")
    return told


def aside(result: MutationResult) -> list[tuple[str, tuple[str, ...]]]:
    """Tests that were not used, with the reason."""
    every = [("fail without any mutant", result.failing), ("ended differently the second time", result.flaky),
             ("fail when others run before them in another order", result.dependent)]
    return [(words, names) for words, names in every if names]
