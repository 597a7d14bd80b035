import os
import signal

import pytest
from promotions import Promotion, killed_before_call

from windtunnel.workspace.promote import entries, promote, recover, undo

MOST_CALLS = 2000


@pytest.fixture(params=["promotion", "far_promotion"])
def case(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(autouse=True)
def no_waiting_for_disks(monkeypatch):
    """A killed process loses nothing that it has written; only a power cut does, and none is made here."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def apply(case):
    promote(case.project, case.changes, seen=case.seen, folder=case.folder, trial="t")


def take_back(case):
    undo(case.project, folder=case.folder)


def test_a_promotion_killed_before_any_system_call_is_recovered_whole(case):
    outcomes = set()
    for number in range(MOST_CALLS):
        killed = killed_before_call(number, lambda: apply(case))
        recover(case.folder)
        applied = case.now() == case.new
        assert applied or case.now() == case.old, number
        assert len(case.left()) == applied, number
        outcomes.add((killed, applied))
        if not killed:
            break
        if applied:
            take_back(case)
            for entry in entries(case.folder):
                (case.folder / entry.id).rename(case.folder / f".gone-{entry.id}")
            recover(case.folder)

    assert outcomes == {(True, False), (True, True), (False, True)}


def test_an_undo_killed_before_any_system_call_is_recovered_whole(case):
    outcomes = set()
    for number in range(MOST_CALLS):
        apply(case)
        killed = killed_before_call(number, lambda: take_back(case))
        recover(case.folder)
        undone = case.now() == case.old
        assert undone or case.now() == case.new, number
        outcomes.add((killed, undone))
        if not killed:
            break
        if not undone:
            take_back(case)
        for entry in entries(case.folder):
            (case.folder / entry.id).rename(case.folder / f".gone-{entry.id}")

    assert outcomes == {(True, False), (True, True), (False, True)}


def half_done(case):
    """Leave a promotion dead between its second and third file."""
    def act():
        promote(case.project, case.changes, seen=case.seen, folder=case.folder, trial="t",
                step=lambda now: os.kill(os.getpid(), signal.SIGKILL) if now == "placing 2" else None)

    assert killed_before_call(MOST_CALLS, act)


def test_a_recovery_killed_before_any_system_call_is_recovered_whole(case):
    for number in range(MOST_CALLS):
        half_done(case)
        killed = killed_before_call(number, lambda: recover(case.folder))
        recover(case.folder)
        assert (case.now(), case.left()) == (case.old, []), number
        if not killed:
            break

    assert not killed


def test_without_recovery_a_killed_promotion_is_half_applied(promotion):
    half_done(promotion)

    assert promotion.now() not in (promotion.old, promotion.new)


def test_recovery_says_what_it_did(promotion):
    half_done(promotion)
    (entry,) = entries(promotion.folder)

    assert recover(promotion.folder) == [f"{promotion.project}: {entry.id} was half applied; taken back"]
    assert recover(promotion.folder) == []


def test_recovery_leaves_a_file_that_someone_changed_after_the_crash_and_says_so_once(promotion):
    half_done(promotion)
    (promotion.project / "changed.py").write_bytes(b"mine\n")

    (told,) = recover(promotion.folder)

    mine = promotion.old - {("changed.py", 0o640, b"old\n")} | {("changed.py", 0o640, b"mine\n")}
    assert (promotion.now(), recover(promotion.folder)) == (mine, [])
    assert "changed since: changed.py; their old content is in" in told


def test_a_project_that_is_gone_keeps_its_entry(promotion):
    half_done(promotion)
    promotion.project.rename(promotion.project.with_name("away"))

    (told,) = recover(promotion.folder)

    assert "stays so for now" in told
    promotion.project.with_name("away").rename(promotion.project)
    recover(promotion.folder)
    assert promotion.now() == promotion.old


def test_the_next_promotion_recovers_first(promotion, tmp_path):
    half_done(promotion)
    other = Promotion(tmp_path / "other", promotion.folder)

    apply(other)

    assert (promotion.now(), other.now()) == (promotion.old, other.new)
