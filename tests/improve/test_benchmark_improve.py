"""How the figures are counted; the measuring itself is a benchmark."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent))

from benchmarks.simulate_improve import DECOYS, HELD, KNOWN, Case, corpus_rows
from benchmarks.simulate_improve_timing import Outcome as Timings

from windtunnel.engine.improve.improvement import Improvement, Outcome, Step
from windtunnel.engine.improve.pacer import WorkloadFailed
from windtunnel.speedups.compare import Answer, Standing

STEP = Step(cycle=1, kept=True, rule="early", path="a.py", function="f", reason="r", why="gains")
BETTER = Improvement(state=Outcome.IMPROVED, project="p", reason="r", workload="w", steps=(STEP,), low=0.1)
NOTHING = Improvement(state=Outcome.UNCHANGED, project="p", reason="r", workload="w")


def counted(*cases):
    return [(row.value, row.unit, row.note) for row in corpus_rows(
        [Case(group=group, name=f"case {at}", result=result) for at, (group, result) in enumerate(cases)])]


def test_what_was_improved_is_counted_and_what_was_not_is_named():
    found = counted((KNOWN, BETTER), (HELD, BETTER), (HELD, NOTHING), (KNOWN, WorkloadFailed("no")), (DECOYS, NOTHING))

    assert found == [(2, "of 4", "held out: 1 of 2; not case 2; not case 3"), (0, "of 5", "none")]


def test_a_decoy_that_is_kept_and_a_project_that_was_touched_are_regressions():
    touched = Improvement(state=Outcome.UNCHANGED, project="p", reason="r", workload="w", untouched=False)

    assert counted((DECOYS, BETTER), (KNOWN, touched))[1] == (2, "of 2", "case 0, case 1")


def test_the_share_of_comparisons_that_say_keep_is_what_is_told():
    standings = [Standing(answer=answer, pairs=pairs, gain=0.0, low=0.0, high=0.0, chance=1.0)
                 for answer, pairs in ((Answer.KEEP, 12), (Answer.REVERT, 40), (Answer.REVERT, 20), (Answer.REVERT, 28))]

    assert (Timings(tuple(standings)).kept, Timings(tuple(standings)).pairs) == (0.25, 24.0)
