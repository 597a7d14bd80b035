"""Many candidates from one baseline: who comes first, who is stopped, who was run at all."""

import json
from dataclasses import replace

import pytest
from trials import CALC, ONE_RUNNER, SHOP, WRONG, create, modify, numbered_rig, write

from windtunnel.core.change import ChangeSet
from windtunnel.core.effects import Effects, FileEffect
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.trial import Delta, LintResult, SandboxResult, TamperFinding, Verdict
from windtunnel.engine.tournament import Candidate, score, tournament
from windtunnel.engine.trial import Trial

pytestmark = pytest.mark.slow
SLOW = "import calc, time\ndef test_add(): assert calc.add(2, 3) == 5\ndef test_zero(): assert calc.add(0, 0) == 0\n" + "".join(
    f"def test_slow_{number}(): time.sleep(0.04)\n" for number in range(12))
LITTER = CALC + "open('left.txt', 'w').close()\n"
CANDIDATES = {
    "does not apply": [modify("missing.py", "x")],
    "breaks": [modify("calc.py", "def add(a, b):\n    return a * b + 7\n")],
    "does nothing": [create("notes.md", "x")],
    "leaves litter": [modify("calc.py", LITTER)],
    "is long": [modify("calc.py", "# at length\n" + CALC)],
    "is short": [modify("calc.py", CALC)],
    "is the same": [modify("calc.py", CALC)],
}


class Race:
    """One tournament, with the jobs it took."""

    def __init__(self, tunnel, project):
        self.project, rig = project, numbered_rig(tunnel)
        notes = {"is short": ("fits two lines further down",)}
        self.ranked = tournament(rig, Trial(project=project, changes=(), **ONE_RUNNER), [
            Candidate(name=name, changes=ChangeSet(changes=tuple(changes), notes=notes.get(name, ()))) for name, changes in CANDIDATES.items()])
        self.jobs = rig.sandbox.jobs
        self.by_name = {entry.name: entry for entry in self.ranked}


@pytest.fixture(scope="module")
def race(tunnel, tmp_path_factory):
    return Race(tunnel, write(tmp_path_factory.mktemp("race"), {"calc.py": WRONG, "test_calc.py": SLOW}))


def test_they_stand_in_order_of_delta_then_effects_then_size(race):
    assert [(entry.place, entry.name) for entry in race.ranked] == [
        (1, "is short"), (1, "is the same"), (2, "is long"), (3, "leaves litter"), (4, "does nothing"), (5, "breaks"), (6, "does not apply")]


def test_those_that_leave_the_same_files_run_once(race):
    same = race.by_name["is the same"]

    assert (same.same_as, same.result.id) == ("is short", race.by_name["is short"].result.id)
    options = [json.loads(job.command.files["windtunnel_options.json"]) for job in race.jobs
               if (file := job.command.overlay.get("calc.py")) is not None and file.data == CALC.encode()]
    assert sum(given["select"] is None for given in options) == 1


def test_one_that_does_not_apply_is_last_and_says_why(race):
    last = race.by_name["does not apply"]

    assert (last.result, "missing.py" in last.error) == (None, True)


def test_one_that_has_lost_is_stopped(race):
    assert len(race.by_name["breaks"].result.test_results) < 14
    assert len(race.by_name["is short"].result.test_results) == 14


@pytest.mark.parametrize("name", ["is short", "leaves litter", "does nothing", "breaks"])
def test_the_verdict_is_that_of_a_trial_of_its_own(race, tunnel, name):
    alone = tunnel.try_change(race.project, CANDIDATES[name], **ONE_RUNNER)

    assert (race.by_name[name].result.verdict, race.by_name[name].result.delta.fixed) == (alone.verdict, alone.delta.fixed)


def test_what_the_reading_of_a_patch_allowed_for_is_kept(race):
    assert "fits two lines further down" in race.by_name["is short"].result.notes


def test_no_candidate_gets_more_cores_than_the_trial_asked_for(tunnel, tmp_path):
    rig = numbered_rig(tunnel)
    trial = Trial(project=write(tmp_path, SHOP), changes=(), **ONE_RUNNER, limits=Limits(cores=0.5))

    tournament(rig, trial, [Candidate(name="a", changes=ChangeSet(changes=()))])

    assert {job.limits.cores for job in rig.sandbox.jobs} == {0.5}


def test_one_that_no_sandbox_can_hold_does_not_end_the_race(tunnel, tmp_path):
    candidates = {"big": [create("big.bin", "x" * (3 * MIB))], "small": [create("small.txt", "x")], "also big": [create("big.bin", "x" * (3 * MIB))]}

    ranked = tunnel.rank(write(tmp_path, SHOP), candidates, **ONE_RUNNER, limits=Limits(disk_bytes=MIB))

    assert [(entry.place, entry.name, entry.error is None) for entry in ranked] == [(1, "small", True), (2, "big", False), (2, "also big", False)]


def test_a_race_of_nobody_is_refused(tunnel, tmp_path):
    with pytest.raises(UsageError) as refused:
        tunnel.rank(write(tmp_path, SHOP), {}, **ONE_RUNNER)

    assert refused.value.field == "candidates"


def test_the_project_is_left_alone(race):
    assert sorted(path.name for path in race.project.rglob("*")) == ["calc.py", "test_calc.py"]


def test_a_flaky_test_does_not_decide_a_race(tunnel, tmp_path):
    project = write(tmp_path, {**SHOP, "test_flaky.py": "import os\ndef test_flaky(): assert os.environ['RUN'] != '2'\n"})

    ranked = tournament(numbered_rig(tunnel), Trial(project=project, changes=(), **ONE_RUNNER, jobs=1), [
        Candidate(name="a", changes=ChangeSet(changes=(create("notes.md", "x"),)))])

    assert ranked[0].result.verdict is Verdict.GOOD


# --- the order alone ---

BEST = SandboxResult(verdict=Verdict.GOOD, delta=Delta(fixed=("a", "b")), changes=ChangeSet(changes=(modify("a.py", "x"),)))
FILE = FileEffect(path="/workspace/left", kind="file")


@pytest.mark.parametrize("worse", [
    {"verdict": Verdict.NOT_GOOD}, {"delta": Delta(fixed=("a",))}, {"delta": Delta(fixed=("a", "b"), still_failing=("c",))},
    {"new_findings": (LintResult(tool="t", rule="r", message="m"),)}, {"effects": Effects(files=(FILE,))},
    {"changes": ChangeSet(changes=(modify("a.py", "xx"),))}, {"tamper": (TamperFinding(rule="r", message="m"),)}], ids=str)
def test_each_of_these_is_worse(worse):
    assert score(BEST) < score(replace(BEST, **worse))


def test_litter_that_is_usual_is_not_worse():
    assert score(BEST) == score(replace(BEST, effects=Effects(files=(replace(FILE, litter="bytecode cache"),))))


def test_a_smaller_change_does_not_make_up_for_what_it_leaves():
    small = replace(BEST, effects=Effects(files=(FILE,)))
    large = replace(BEST, changes=ChangeSet(changes=(modify("a.py", "x" * 1000),)))

    assert score(large) < score(small)
