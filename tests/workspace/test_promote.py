import errno
import os
import stat
import threading

import pytest
from promotions import Promotion, snapshot

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.workspace import journal
from windtunnel.workspace.changes import check_changes
from windtunnel.workspace.promote import ProjectMoved, entries, promote, recover, undo

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files to others")


def apply(case, **more):
    return promote(case.project, case.changes, seen=case.seen, folder=case.folder, trial="trial-1", **more)


def take_back(case, **more):
    return undo(case.project, folder=case.folder, **more)


@pytest.fixture(params=["promotion", "far_promotion"])
def case(request):
    return request.getfixturevalue(request.param)


def test_every_change_is_applied_and_nothing_else(case):
    name = apply(case)

    assert (case.now(), case.left()) == (case.new, [name])


def test_undo_restores_bytes_and_modes_and_removes_what_was_made(case):
    name = apply(case)

    undone = take_back(case)

    assert (case.now(), undone.id, undone.state) == (case.old, name, "undone")


def test_the_entry_tells_what_was_done(promotion):
    name = apply(promotion)

    (entry,) = entries(promotion.folder, promotion.project)
    assert (entry.id, entry.trial, entry.state, entry.paths, entry.folders) == (
        name, "trial-1", "applied", ("changed.py", "gone.py", "made/deep/new.py", "sub/run.sh"), ("made", "made/deep"))


def test_entries_are_those_of_one_project_newest_first(promotion, tmp_path):
    one = apply(promotion)
    other = Promotion(tmp_path / "other", promotion.folder)
    two = apply(other)

    assert [entry.id for entry in entries(promotion.folder, promotion.project)] == [one]
    assert [entry.id for entry in entries(promotion.folder, None)] == [two, one]


@pytest.mark.parametrize("move", [
    lambda project: (project / "changed.py").write_bytes(b"mine\n"),
    lambda project: (project / "changed.py").unlink(),
    lambda project: (project / "gone.py").write_bytes(b"mine\n"),
    lambda project: ((project / "made" / "deep").mkdir(parents=True), (project / "made/deep/new.py").touch()),
    lambda project: (project / "made").symlink_to("/tmp"),
    lambda project: (project / "made").write_bytes(b"a file"),
    lambda project: ((project / "changed.py").rename(project / "kept"), (project / "changed.py").symlink_to("kept")),
])
def test_a_project_that_moved_is_left_alone(promotion, move):
    seen = promotion.seen
    move(promotion.project)
    before = promotion.now()

    with pytest.raises(ProjectMoved) as refused:
        promote(promotion.project, promotion.changes, seen=seen, folder=promotion.folder, trial="t")

    assert len(refused.value.paths) == 1
    assert (promotion.now(), promotion.left()) == (before, [])


def test_without_the_comparison_a_newer_file_would_be_overwritten(promotion):
    (promotion.project / "changed.py").write_bytes(b"mine\n")

    apply(promotion)  # its hashes are taken now, not when the trial was

    assert (promotion.project / "changed.py").read_bytes() == b"new\n"


def test_a_file_that_changes_while_others_are_placed_takes_all_back(case):
    def meddle(act):
        if act == "placing 3":
            (case.project / "sub" / "run.sh").write_bytes(b"mine\n")

    with pytest.raises(ProjectMoved) as refused:
        apply(case, step=meddle)

    assert refused.value.paths == ("sub/run.sh",)
    mine = case.old - {("sub/run.sh", 0o644, b"exit\n")} | {("sub/run.sh", 0o644, b"mine\n")}
    assert case.now() == mine
    assert [entry.state for entry in entries(case.folder)] == ["stuck"]


def test_a_link_that_appears_in_the_way_is_not_followed(promotion, tmp_path):
    (tmp_path / "outside").mkdir()

    def meddle(act):
        if act == "placing 2":
            (promotion.project / "made").symlink_to(tmp_path / "outside")

    with pytest.raises(UsageError, match="is a link"):
        apply(promotion, step=meddle)

    assert list((tmp_path / "outside").iterdir()) == []


@pytest.mark.parametrize("act", ["staged 2", "placing 0", "placed 0", "placed 3"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_at_any_point_leaves_the_project_as_it_was_or_whole(case, act, error):
    def fail(now):
        if now == act:
            raise error

    with pytest.raises((SandboxFailure, KeyboardInterrupt)):
        apply(case, step=fail)
    recover(case.folder)

    assert case.now() == (case.new if act == "placed 3" else case.old)


def test_a_path_without_a_hash_is_refused(promotion):
    with pytest.raises(UsageError) as refused:
        promote(promotion.project, promotion.changes, seen={}, folder=promotion.folder, trial="t")

    assert (refused.value.field, promotion.now()) == ("seen", promotion.old)


@pytest.mark.parametrize("path", ["../out", "/tmp/out", ".git/hooks/x"])
def test_a_hostile_path_is_refused_also_here(promotion, path):
    changes = ChangeSet(changes=(FileChange(path, "create", "x"),))

    with pytest.raises(UsageError) as refused:
        promote(promotion.project, changes, seen={path: None}, folder=promotion.folder, trial="t")

    assert (refused.value.field, promotion.left()) == ("changes", [])


def test_a_journal_inside_the_project_is_refused(promotion):
    with pytest.raises(UsageError, match="inside the project"):
        promote(promotion.project, promotion.changes, seen=promotion.seen, folder=promotion.project / "j", trial="t")

    assert promotion.now() == promotion.old


def test_the_journal_is_private(promotion):
    name = apply(promotion)

    modes = {stat.S_IMODE(path.stat().st_mode) for path in (promotion.folder, promotion.folder / name)}
    files = {stat.S_IMODE(path.stat().st_mode) for path in promotion.folder.rglob("*") if path.is_file()}
    assert (modes, files) == ({0o700}, {0o600})


@pytest.mark.parametrize("move", [
    lambda project: (project / "changed.py").write_bytes(b"mine\n"),
    lambda project: (project / "changed.py").chmod(0o600),
    lambda project: (project / "changed.py").unlink(),
])
def test_undo_refuses_what_changed_since_unless_forced(promotion, move):
    name = apply(promotion)
    move(promotion.project)
    before = promotion.now()

    with pytest.raises(ProjectMoved) as refused:
        take_back(promotion)

    assert (refused.value.paths, promotion.now()) == (("changed.py",), before)
    assert take_back(promotion, force=True).id == name
    assert promotion.now() == promotion.old


def test_a_forced_undo_keeps_what_it_replaces(promotion):
    name = apply(promotion)
    (promotion.project / "changed.py").write_bytes(b"mine\n")

    take_back(promotion, force=True)

    assert (promotion.folder / name / "kept" / "0").read_bytes() == b"mine\n"


def test_undo_leaves_a_made_folder_that_holds_something_of_others(promotion):
    apply(promotion)
    (promotion.project / "made" / "mine").write_bytes(b"mine")

    take_back(promotion)

    assert promotion.now() == promotion.old | {("made", 0o755, None), ("made/mine", 0o644, b"mine")}


@pytest.mark.parametrize("name", [None, "0009-00000000", "../x", ""])
def test_there_is_nothing_to_undo_where_nothing_was_applied(promotion, name):
    with pytest.raises(UsageError) as refused:
        take_back(promotion, entry=name)

    assert refused.value.field == "entry"


def test_nothing_is_undone_twice(promotion):
    name = apply(promotion)
    take_back(promotion)

    with pytest.raises(UsageError, match="it is undone"):
        take_back(promotion, entry=name)


def test_two_promotions_are_undone_last_first(promotion):
    one = apply(promotion)
    middle = promotion.now()
    changes = check_changes([FileChange("changed.py", "modify", "newest\n")], project=promotion.project)
    two = promote(promotion.project, changes, seen=promotion.seen, folder=promotion.folder, trial="t")

    assert take_back(promotion).id == two
    assert promotion.now() == middle
    assert take_back(promotion).id == one
    assert promotion.now() == promotion.old


def test_an_earlier_promotion_under_a_later_one_is_not_undone(promotion):
    one = apply(promotion)
    changes = check_changes([FileChange("changed.py", "modify", "newest\n")], project=promotion.project)
    promote(promotion.project, changes, seen=promotion.seen, folder=promotion.folder, trial="t")

    with pytest.raises(ProjectMoved):
        take_back(promotion, entry=one)


def test_a_second_promotion_waits_for_the_first(promotion):
    order = []

    def second():
        with journal.locked(promotion.folder):
            order.append("second")

    waiting = threading.Thread(target=second)

    def hold(act):
        if act == "begun":
            waiting.start()
            waiting.join(timeout=0.1)
        if act == "done":
            order.append("first")

    apply(promotion, step=hold)
    waiting.join(timeout=10)

    assert order == ["first", "second"]


def test_recover_leaves_a_living_promotion_alone(promotion):
    told = []

    apply(promotion, step=lambda act: told.append(recover(promotion.folder)))

    assert (set(map(tuple, told)), promotion.now()) == ({()}, promotion.new)


def test_recover_without_a_journal_makes_nothing(tmp_path):
    assert (recover(tmp_path / "none"), list(tmp_path.iterdir())) == ([], [])


def test_the_oldest_entries_are_forgotten(promotion, monkeypatch):
    monkeypatch.setattr(journal, "MOST_ENTRIES", 2)
    names = []
    for number in range(4):
        changes = check_changes([FileChange("changed.py", "modify", f"{number}\n")], project=promotion.project)
        names.append(promote(promotion.project, changes, seen=promotion.seen, folder=promotion.folder, trial="t"))

    assert promotion.left() == names[-2:]


def test_of_two_hard_links_only_the_named_one_changes(promotion):
    os.link(promotion.project / "changed.py", promotion.project / "second")

    apply(promotion)

    assert (promotion.project / "second").read_bytes() == b"old\n"


def test_attributes_of_the_user_follow(case):
    try:
        os.setxattr(case.project / "changed.py", "user.note", b"mine")
    except OSError:
        pytest.skip("this file system keeps no extended attributes")

    apply(case)

    assert os.getxattr(case.project / "changed.py", "user.note") == b"mine"


def test_new_content_does_not_inherit_setuid_and_undo_gives_it_back(promotion):
    (promotion.project / "changed.py").chmod(0o4755)

    apply(promotion)
    after = stat.S_IMODE((promotion.project / "changed.py").stat().st_mode)
    take_back(promotion)

    assert (after, stat.S_IMODE((promotion.project / "changed.py").stat().st_mode)) == (0o755, 0o4755)


def test_a_new_file_obeys_the_mask_of_the_process(promotion):
    os.umask(0o077)

    apply(promotion)

    made = promotion.project / "made"
    assert [stat.S_IMODE(path.stat().st_mode) for path in (made, made / "deep" / "new.py")] == [0o700, 0o700]


@as_root
def test_root_leaves_files_to_their_owners_and_gives_new_ones_to_their_folders(case):
    for path in (case.project, *case.project.rglob("*")):
        os.chown(path, 1234, 4321)

    apply(case)
    after = {(path.stat().st_uid, path.stat().st_gid) for path in case.project.rglob("*")}
    take_back(case)

    assert after == {(1234, 4321)}
    assert {(path.stat().st_uid, path.stat().st_gid) for path in case.project.rglob("*")} == {(1234, 4321)}


def test_the_snapshot_notices_a_changed_mode(promotion):
    before = snapshot(promotion.project)
    (promotion.project / "untouched").chmod(0o600)

    assert snapshot(promotion.project) != before
