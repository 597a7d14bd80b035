"""Checkpoints in a git repository: on a branch of their own, and nothing that a repository names is started."""

import shutil
import subprocess
import threading

import pytest

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit.checkpoint import Checkpoint, read_checkpoint
from windtunnel.store.audit.destination import destination, kept
from windtunnel.store.audit.note import SecretKey

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed (apt-get install git)")
KEY = SecretKey("windtunnel/test", b"k" * 32)
HOOKS = ("reference-transaction", "post-commit", "pre-push", "pre-receive", "update", "post-update", "post-receive", "pre-commit")


@pytest.fixture
def git(tmp_path):
    """Git, as the owner of the repositories of a test uses it."""
    env = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "o", "GIT_AUTHOR_EMAIL": "o@o",
           "GIT_COMMITTER_NAME": "o", "GIT_COMMITTER_EMAIL": "o@o"}

    def run(*words, check=True):
        done = subprocess.run(["git", *map(str, words)], env=env, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0 or not check, done.stderr
        return done.stdout

    return run


@pytest.fixture
def bare(git, tmp_path):
    git("init", "--quiet", "--bare", tmp_path / "notes.git")
    return tmp_path / "notes.git"


@pytest.fixture
def project(git, tmp_path):
    """A repository that somebody works in, with something staged, something changed and something new."""
    path = tmp_path / "project"
    git("init", "--quiet", "--initial-branch=main", path)
    (path / "kept.txt").write_text("kept\n")
    git("-C", path, "add", "kept.txt")
    git("-C", path, "commit", "--quiet", "--message=first")
    (path / "staged.txt").write_text("staged\n")
    git("-C", path, "add", "staged.txt")
    (path / "kept.txt").write_text("changed\n")
    (path / "new.txt").write_text("new\n")
    return path


def checkpoint(size=3, day="2026-01-31"):
    return Checkpoint(origin="windtunnel/test", size=size, root=b"r" * 32, time=f"{day}T00:00:00+00:00")


def send(place, made=None):
    made = made or checkpoint()
    return destination(f"git:{place}").send(made.signed(KEY), made)


def sizes(place):
    return [read_checkpoint(note, [KEY.public]).size for note in kept(f"git:{place}")]


def test_notes_lie_on_a_branch_in_folders_by_day(git, bare):
    for size, day in ((3, "2026-01-31"), (4, "2026-01-31"), (5, "2026-02-01")):
        assert send(bare, checkpoint(size, day)).startswith("committed as ")

    names = git("-C", bare, "ls-tree", "-r", "--name-only", "windtunnel-checkpoints").split()
    assert names == [f"2026-01-31/{3:012d}-7272727272727272.note", f"2026-01-31/{4:012d}-7272727272727272.note",
                     f"2026-02-01/{5:012d}-7272727272727272.note"]
    assert git("-C", bare, "log", "--format=%s", "windtunnel-checkpoints").splitlines() == [
        "Checkpoint of 5 records", "Checkpoint of 4 records", "Checkpoint of 3 records"]
    assert sizes(bare) == [3, 4, 5]


def test_a_note_that_is_there_makes_no_commit(git, bare):
    send(bare)

    assert send(bare) == "was committed already"
    assert git("-C", bare, "rev-list", "--count", "windtunnel-checkpoints") == "1\n"


def test_work_tree_index_and_branches_stay_as_they_are(git, project):
    def state():
        return (git("-C", project, "status", "--porcelain"), git("-C", project, "branch", "--show-current"),
                git("-C", project, "rev-parse", "main"), git("-C", project, "diff", "--cached"),
                sorted(path.name for path in project.iterdir()))

    before = state()
    send(f"{project}#notes")

    assert state() == before
    assert sizes(f"{project}#notes") == [3]


def test_other_files_of_the_branch_stay(git, project):
    send(f"{project}#main2")
    git("-C", project, "branch", "mixed", "main")

    send(f"{project}#mixed", checkpoint(9))

    assert git("-C", project, "ls-tree", "-r", "--name-only", "mixed").split() == [
        "2026-01-31/000000000009-7272727272727272.note", "kept.txt"]


def test_a_branch_that_somebody_works_on_is_refused(git, project, tmp_path):
    git("-C", project, "worktree", "add", "--quiet", "-b", "other", tmp_path / "worktree")

    for branch in ("main", "other"):
        with pytest.raises(UsageError, match="the branch is checked out there"):
            send(f"{project}#{branch}")


def armed(git, repository, tmp_path):
    """A repository that starts a program wherever its owner could make it; the file that tells whether one did."""
    proof = tmp_path / "started"
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\necho $0 $* >> {proof}\nexit 1\n")
    program.chmod(0o755)
    hooks = repository / ("hooks" if (repository / "HEAD").exists() else ".git/hooks")
    hooks.mkdir(exist_ok=True)
    for name in HOOKS:
        (hooks / name).write_text(program.read_text())
        (hooks / name).chmod(0o755)
    for key in ("core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "credential.helper", "gpg.program",
                "core.alternateRefsCommand", "core.gitProxy", "filter.evil.clean", "diff.external", "uploadpack.packObjectsHook"):
        git("-C", repository, "config", key, str(program))
    for key in ("commit.gpgSign", "push.gpgSign"):
        git("-C", repository, "config", key, "true")
    return proof


def test_no_hook_and_no_program_of_the_repository_runs(git, project, tmp_path):
    proof = armed(git, project, tmp_path)

    send(f"{project}#notes")
    sizes(f"{project}#notes")

    assert not proof.exists()


def test_without_these_measures_the_hooks_would_run(git, project, tmp_path):
    proof = armed(git, project, tmp_path)

    git("-C", project, "update-ref", "refs/heads/notes", "main", check=False)

    assert "reference-transaction" in proof.read_text()


def test_a_repository_that_lacks_objects_cannot_have_them_fetched(git, project, tmp_path):
    send(f"{project}#notes")
    proof = armed(git, project, tmp_path)
    git("-C", project, "config", "remote.evil.url", "ssh://127.0.0.1:1/x")
    git("-C", project, "config", "remote.evil.promisor", "true")
    git("-C", project, "config", "extensions.partialClone", "evil")
    git("-C", project, "config", "core.repositoryFormatVersion", "1")
    blob = git("-C", project, "rev-parse", "notes:2026-01-31/000000000003-7272727272727272.note").strip()
    (project / ".git/objects" / blob[:2] / blob[2:]).unlink()

    with pytest.raises((SandboxFailure, UsageError)):
        kept(f"git:{project}#notes")

    assert not proof.exists()


def test_a_push_goes_to_the_remote_and_starts_nothing_on_either_side(git, project, bare, tmp_path):
    git("-C", project, "remote", "add", "origin", bare)
    proof = armed(git, project, tmp_path)
    armed(git, bare, tmp_path)

    told = send(f"{project}#notes?push=origin")

    assert (told.split(", ")[1], sizes(f"{bare}#notes"), proof.exists()) == ("pushed to origin", [3], False)
    assert list((tmp_path / "project").glob("windtunnel-push-*")) == []


def test_a_remote_that_went_another_way_is_not_overwritten(git, project, bare):
    git("-C", project, "remote", "add", "origin", bare)
    send(f"{bare}#notes", checkpoint(9))

    with pytest.raises(SandboxFailure, match="push: "):
        send(f"{project}#notes?push=origin")

    assert sizes(f"{bare}#notes") == [9]


@pytest.mark.parametrize("address", ["ext::sh -c id", "git://127.0.0.1/x", "http://127.0.0.1/x", "-oProxyCommand=id"])
def test_a_remote_with_an_address_that_starts_something_is_refused(git, project, address):
    git("-C", project, "config", "remote.origin.url", address)

    with pytest.raises(SandboxFailure, match="origin is no address that is pushed to"):
        send(f"{project}#notes?push=origin")


def test_a_folder_that_a_killed_push_left_is_cleared_away(git, project, bare, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    (tmp_path / "windtunnel-push-left" / "objects").mkdir(parents=True)
    git("-C", project, "remote", "add", "origin", bare)

    send(f"{project}#notes?push=origin")

    assert list(tmp_path.glob("windtunnel-push-*")) == []


def test_many_at_once_lose_none(bare):
    failures = []

    def one(size):
        try:
            send(bare, checkpoint(size))
        except SandboxFailure as error:
            failures.append(error)

    threads = [threading.Thread(target=one, args=(size,)) for size in range(1, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert (failures, sizes(bare)) == ([], [1, 2, 3])


@pytest.mark.parametrize(("place", "why"), [("nowhere", "git worktree: "), ("plain", "git worktree: ")])
def test_what_is_no_repository_is_said(tmp_path, git, place, why):
    git("init", "--quiet", tmp_path)
    (tmp_path / "plain").mkdir()

    with pytest.raises(SandboxFailure, match=why):
        send(tmp_path / place)


def test_a_branch_that_is_not_there_is_said(bare):
    with pytest.raises(UsageError, match="there is no such branch"):
        kept(f"git:{bare}#none")


def test_without_git_it_is_said_what_to_install(bare, monkeypatch):
    monkeypatch.setattr("shutil.which", lambda _: None)

    with pytest.raises(SandboxFailure, match="apt-get install git"):
        send(bare)
