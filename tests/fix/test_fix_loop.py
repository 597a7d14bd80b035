"""The search itself, by a bench that runs nothing: waves, several faults, limits, and no proposal twice."""

from __future__ import annotations

import pytest
from fixing import base_of, opener, proposal

from windtunnel.engine.fix.journal import Journal, journal_path
from windtunnel.engine.fix.loop import Loop

FILES = {"n.py": "a = 0\nb = 0\n"}


def numbers(base):
    """Every value for either name, from what the base has."""
    for number in range(1, 400):
        for name in "ab":
            lines = (base.read("n.py") or "").splitlines()
            yield proposal("n.py", "\n".join(f"{name} = {number}" if line.startswith(name) else line for line in lines) + "\n",
                           reason=f"{name} becomes {number}")


def wants(**values):
    """Which names fail: those without the value that is wanted."""
    def fails(texts):
        lines = texts.get("n.py", FILES["n.py"]).splitlines()
        return [f"test_{name}" for name, value in values.items() if f"{name} = {value}" not in lines]
    return fails


def run(fails, *, journal=None, seconds=1000.0, clock=lambda: 0.0, **options):
    open_node, bench = opener(FILES, fails, numbers)
    told = []
    loop = Loop(open_node, journal or Journal(None), seconds=seconds, clock=clock, tell=told.append, **options)
    return loop.run(base_of(FILES)), bench, told


def texts(found):
    return [one.result.texts["n.py"] for one in found.plausible]


def test_the_first_proposal_that_passes_everything_ends_the_search():
    found, _, _ = run(wants(a=30))

    assert (texts(found), found.stopped) == (["a = 30\nb = 0\n"], "a fix was found")


def test_a_few_more_are_judged_after_the_first_good_one():
    found, _, _ = run(wants(a=30))

    assert found.tried == 59 + 32


def test_two_faults_that_one_wave_mends_are_mended_together():
    found, _, _ = run(wants(a=3, b=5))

    assert texts(found) == ["a = 3\nb = 5\n"]
    assert [step.reason for step in found.plausible[0].result.steps] == ["n.py:1: a becomes 3\nn.py:1: b becomes 5"]


def test_two_faults_are_mended_one_after_the_other_where_the_second_is_found_late():
    found, _, _ = run(wants(a=3, b=190))

    assert "a = 3\nb = 190\n" in texts(found)


def test_nothing_is_asked_twice_of_the_same_tests():
    _, bench, _ = run(wants(a=3, b=5))

    assert len(bench.asked) == len(set(bench.asked))


def test_what_mends_one_test_and_breaks_another_is_not_kept():
    def fails(files):
        text = files.get("n.py", FILES["n.py"])
        return (["test_a"] if "a = 3" not in text else []) + (["always"] if "a = 3" in text and "b = 0" in text else [])

    found, _, _ = run(fails, attempts=100)

    assert (found.plausible, found.best, found.stopped) == ([], None, "all attempts are used")


def test_what_mends_only_some_is_the_best_there_is():
    found, _, _ = run(wants(a=3, b=5000))

    assert found.plausible == []
    assert found.best is not None
    assert found.best.texts == {"n.py": "a = 3\nb = 0\n"}
    assert found.stopped == "nothing more is proposed"


def test_no_more_attempts_are_made_than_there_are():
    found, bench, _ = run(wants(a=300), attempts=50)

    assert (found.tried, len(bench.asked), found.stopped) == (50, 50, "all attempts are used")


def test_the_time_ends_the_search():
    clock = iter(range(10_000))

    found, _, _ = run(wants(a=300), seconds=5.0, clock=lambda: next(clock))

    assert (found.plausible, found.stopped) == ([], "the time is up")


def test_every_attempt_is_told_with_what_became_of_it():
    _, _, told = run(wants(a=2))

    assert sorted((int(event.side), event.text, event.status) for event in told)[:3] == [
        (1, "n.py:1: a becomes 1", "changes nothing"), (2, "n.py:1: b becomes 1", "changes nothing"),
        (3, "n.py:1: a becomes 2", "fixes all")]


def test_what_was_judged_before_is_not_judged_again_and_gives_the_same(tmp_path):
    path = tmp_path / "one.jsonl"
    with Journal(path) as journal:
        first, bench, _ = run(wants(a=30, b=7), journal=journal)
    with Journal(path) as journal:
        second, again, _ = run(wants(a=30, b=7), journal=journal)

    assert (texts(second), second.tried) == (texts(first), first.tried)
    assert (len(bench.asked) > 0, again.asked) == (True, [])


@pytest.mark.parametrize("kept", [0, 1, 2, 17, 60, 61])
def test_a_journal_that_ends_anywhere_leads_to_the_same(tmp_path, kept):
    path = tmp_path / "one.jsonl"
    with Journal(path) as journal:
        first, bench, _ = run(wants(a=30, b=7), journal=journal)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:kept]) + lines[kept][: len(lines[kept]) // 2])
    with Journal(path) as journal:
        second, again, _ = run(wants(a=30, b=7), journal=journal)

    assert (texts(second), second.tried) == (texts(first), first.tried)
    assert set(again.asked) <= set(bench.asked)


def test_a_journal_of_another_version_or_of_anybody_is_begun_anew(tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_bytes(b'{"version":99}\nnot ours\n')

    with Journal(path):
        pass

    assert path.read_bytes() == b'{"version":1}\n'


def test_somebody_else_at_the_same_fix_is_left_alone(tmp_path):
    path = tmp_path / "one.jsonl"
    with Journal(path):
        before = path.read_bytes()
        with Journal(path) as other:
            found, _, _ = run(wants(a=2), journal=other)

        assert (texts(found), path.read_bytes()) == (["a = 2\nb = 0\n"], before)


def test_a_journal_that_is_a_link_is_not_followed(tmp_path):
    target = tmp_path / "precious"
    target.write_text("keep\n")
    (tmp_path / "one.jsonl").symlink_to(target)

    with Journal(tmp_path / "one.jsonl") as journal:
        run(wants(a=2), journal=journal)

    assert target.read_text() == "keep\n"


def test_other_options_have_another_journal(tmp_path):
    assert journal_path(tmp_path, "tree", "pytest") != journal_path(tmp_path, "tree", "pytest -x")
