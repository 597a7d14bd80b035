"""The parts of the loop that need no sandbox."""

from dataclasses import replace

import pytest

from windtunnel.checks.project import Folder
from windtunnel.core.errors import UsageError
from windtunnel.engine.improve.answers import Alike, compared
from windtunnel.engine.improve.candidates import LEAST_SHARE, options, own_files
from windtunnel.engine.improve.improvement import Step
from windtunnel.engine.improve.journal import Journal, journal_path
from windtunnel.engine.improve.judge import with_time
from windtunnel.engine.improve.profile import Shares, shares_of
from windtunnel.engine.improve.stand import read
from windtunnel.engine.improve.timing import Timed
from windtunnel.speedups.compare import Answer, Standing

STEP = Step(cycle=1, kept=True, rule="early", path="a.py", function="f", reason="r", why="gains", gain=0.25, low=0.2,
            high=0.3, pairs=12, compared=40)
PROFILE = "<module> (workload.py:1);slow (/workspace/a.py:4);inner (/workspace/b.py:9) 60\n<module> (workload.py:1) 40\n"
TWO = "def quick(a, b):\n    return [x for x in a if x in b]\n\n\ndef slow(a, b):\n    return [x for x in a if x in b]\n"


def told(*answers, **held):
    return {"answers": [[*one, f"digest of {one[0]}"] for one in answers], "held": held}


# --- answers ---


def test_answers_that_are_the_same_are_counted():
    one = told(("1", "v", "aa", "1"), ("2", "r", "bb", "KeyError"))

    assert compared(one, one, one) == Alike(compared=2)


def test_an_answer_that_differs_is_named():
    old, new = told(("x=1", "v", "aa", "[1]")), told(("x=1", "r", "bb", "TypeError"))

    assert compared(old, old, new) == Alike(compared=1, difference="x=1 gave [1], now TypeError")


def test_the_same_value_with_something_else_left_behind_is_a_difference():
    old, new = told(("x=1", "v", "aa", "[1]")), told(("x=1", "v", "bb", "[1]"))

    assert "leaves something else behind" in compared(old, old, new).difference


def test_what_the_old_code_answers_otherwise_the_second_time_says_nothing():
    old, again, new = (told(("x=1", "v", digest, "1")) for digest in ("aa", "bb", "cc"))

    assert compared(old, again, new) == Alike(compared=0)


def test_what_the_old_code_does_not_answer_in_time_says_nothing():
    old, new = told(("x=1", "l", "", "no answer in time")), told(("x=1", "v", "aa", "1"))

    assert compared(old, old, new) == Alike(compared=0)


def test_new_code_that_does_not_answer_in_time_is_a_difference():
    old, new = told(("x=1", "v", "aa", "1")), told(("x=1", "l", "", "no answer in time"))

    assert compared(old, old, new).difference == "x=1 gave 1, now no answer in time"


def test_inputs_that_are_shown_otherwise_are_the_same_where_their_digests_are():
    old, new = ({"answers": [[f"<Cart at {place}>", "v", "aa", "1", "digest"]]} for place in ("0x1", "0x2"))

    assert compared(old, new, new) == Alike(compared=1)


def test_inputs_that_differ_say_nothing():
    old, new = ({"answers": [["x=1", "v", answer, "1", key]]} for answer, key in (("aa", "one"), ("bb", "other")))

    assert compared(old, old, new) == Alike(compared=0)


def test_a_module_that_holds_something_else_afterwards_is_a_difference():
    row = ("x=1", "v", "aa", "1")
    old, new = told(row, **{"m.CALLS": "aa", "m.NEW": "xx"}), told(row, **{"m.CALLS": "bb"})

    assert compared(old, old, new) == Alike(compared=1, difference="m.CALLS holds something else afterwards")


@pytest.mark.parametrize("odd", [{}, {"answers": 3}, {"answers": [1, ["x"]]}, {"answers": [], "held": 7}])
def test_a_telling_of_any_shape_compares_nothing(odd):
    assert compared(odd, odd, odd) == Alike(compared=0)


@pytest.mark.parametrize("data", [b"", b"{", b"[" * 100_000, b"\xff", b"1" * (9 * 1024**2)])
def test_a_report_that_is_none_reads_as_nothing(data):
    assert read(data) is None


# --- what to try ---


def test_the_share_of_a_function_counts_what_it_calls():
    assert shares_of(PROFILE).shares == {("workload.py", 1): 1.0, ("a.py", 4): 0.6, ("b.py", 9): 0.6}
    assert shares_of("").shares == {}


def test_what_takes_most_of_the_time_is_tried_first_and_what_takes_none_is_not(tmp_path):
    (tmp_path / "a.py").write_text(TWO)

    def functions(shares):
        return [one.edit.function for one in options(Folder(tmp_path), {}, files=("a.py",), shares=Shares(shares=shares))]

    assert functions({("a.py", 1): 0.1, ("a.py", 5): 0.8}) == ["slow", "quick"]
    assert functions({("a.py", 1): LEAST_SHARE / 2, ("a.py", 5): 0.8}) == ["slow"]
    assert functions({}) == ["quick", "slow"]


def test_an_edit_has_the_same_key_when_other_lines_have_changed(tmp_path):
    (tmp_path / "a.py").write_text(TWO)
    folder = Folder(tmp_path)

    first, second = ({one.edit.function: one.key for one in options(folder, texts, files=("a.py",), shares=Shares())}
                     for texts in ({}, {"a.py": f"import os\n\n{TWO}"}))

    assert first["slow"] == second["slow"] != first["quick"]


def test_tests_and_the_workload_are_never_edited(tmp_path):
    for name in ("a.py", "test_a.py", "conftest.py", "workload.py", "setup.py"):
        (tmp_path / name).write_text("x = 1\n")

    assert own_files(Folder(tmp_path), leave=("python", "workload.py")) == ("a.py",)


# --- what is written down ---


def test_a_step_that_was_written_down_is_read_again(tmp_path):
    path = journal_path(tmp_path / "journals", "tree", ("python", "workload.py"))
    with Journal(path, anew=False) as journal:
        journal.add("key", STEP)

    assert Journal(path, anew=False).known == {"key": STEP}
    assert Journal(path, anew=True).known == {}


def test_lines_that_are_cut_short_or_none_of_ours_are_passed_over(tmp_path):
    path = tmp_path / "one.jsonl"
    with Journal(path, anew=False) as journal:
        journal.add("key", STEP)
    whole = path.read_bytes()
    path.write_bytes(b'\xff\n[]\n{"key": 1, "step": {"kept": 3}}' + whole + whole[: len(whole) // 2])

    with Journal(path, anew=False) as journal:
        journal.add("other", replace(STEP, kept=False))

    assert Journal(path, anew=False).known == {"key": STEP, "other": replace(STEP, kept=False)}


@pytest.mark.parametrize(("answer", "kept"), [(Answer.KEEP, True), (Answer.REVERT, False)])
def test_a_step_tells_what_was_measured(answer, kept):
    standing = Standing(answer=answer, pairs=12, gain=0.1, low=0.05, high=0.15, chance=0.001)

    step = with_time(replace(STEP, kept=False), Timed(standing=standing, before_seconds=1.0, after_seconds=0.9))

    assert (step.kept, step.gain, step.pairs, step.before_seconds, step.after_seconds) == (kept, 0.1, 12, 1.0, 0.9)
    assert "+10.0% of the processor time (+5.0% to +15.0%, 12 pairs)" in step.why


def test_a_comparison_that_ran_out_of_time_decides_nothing():
    standing = Standing(answer=Answer.MORE, pairs=3, gain=0.1, low=0.0, high=1.0, chance=1.0)

    assert with_time(STEP, Timed(standing=standing, before_seconds=1.0, after_seconds=0.9)) is None


def test_a_workload_without_words_is_refused():
    from windtunnel.engine.improve.stand import stand_of

    with pytest.raises(UsageError, match="an empty command"):
        stand_of(None, "/nowhere", workload=(), limits=None)
