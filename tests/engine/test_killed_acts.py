"""Applies and undos whose process is killed with files half rewritten: who comes next ends them, tells it and writes it down."""

import contextlib
import hashlib
import signal
import subprocess
import sys
from dataclasses import replace

import pytest

from windtunnel import Tunnel, config
from windtunnel.core.audit import Auditing, AuditQuery
from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import ApprovalNeeded, SandboxFailure
from windtunnel.core.trial import SandboxResult, Verdict
from windtunnel.store.audit import blobs
from windtunnel.store.audit.query import find
from windtunnel.workspace.promote import ProjectMoved

NAMES = tuple(f"f{number:02}.txt" for number in range(12))
KILLED = """
import os, signal, sys
from windtunnel.workspace.placing import Placing
left = [int(sys.argv.pop(1))]
def deadly(act):
    def counted(self, number):
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left[0] -= 1
        act(self, number)
    return counted
Placing.back, Placing.forward = deadly(Placing.back), deadly(Placing.forward)
"""
UNDO = "from windtunnel.cli.main import main\nmain(['undo', '--project', sys.argv[1]])\n"
APPLY = """
from pathlib import Path
from windtunnel import Tunnel
sys.path.append(sys.argv[2])
from test_killed_acts import good
Tunnel(pool_size=0).apply(sys.argv[1], good(Path(sys.argv[1]), b"B"))
"""


def good(project, text, names=NAMES):
    """As a trial would find it that made every file that text."""
    seen = {name: digest(project / name) for name in names}
    changes = tuple(FileChange(name, "modify", text) for name in names)
    return SandboxResult(verdict=Verdict.GOOD, changes=ChangeSet(changes=changes), seen=seen)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


class Case:
    """A project with twelve files, its state, and ways to die in the middle."""

    def __init__(self, cli, folder, made):
        self.cli, self.project, self._folder, self._made = cli, folder / "project", folder, made
        self.project.mkdir()
        for name in NAMES:
            (self.project / name).write_bytes(b"0")

    def tunnel(self, **fields):
        settings = replace(config.load(), state_dir=self._folder / "state", cache_dir=self._folder / "cache", pool_size=0, **fields)
        self.heard = []
        return self._made.enter_context(Tunnel(settings, tell=self.heard.append))

    def apply(self, text, names=NAMES):
        with contextlib.closing(self.tunnel()) as tunnel:
            return tunnel.apply(self.project, good(self.project, text, names))

    def killed(self, act, *, after):
        """Do it in a process that is killed, for real, when so many files are rewritten."""
        command = [sys.executable, "-c", KILLED + act, str(after), str(self.project), str(__file__).rpartition("/")[0]]
        done = subprocess.run(command, env=self.cli.env, check=False, timeout=60, capture_output=True)
        assert done.returncode == -signal.SIGKILL, done.stderr

    def undo(self, *arguments):
        return self.cli("undo", "--project", str(self.project), *arguments)

    def now(self):
        return b"".join((self.project / name).read_bytes() for name in NAMES)

    def records(self, **query):
        with contextlib.closing(self.tunnel()) as tunnel:
            return [record.entry for record in find(tunnel.audit, AuditQuery(**query))]


@pytest.fixture
def case(cli, tmp_path):
    with contextlib.ExitStack() as made:
        yield Case(cli, tmp_path, made)


def test_a_killed_undo_leaves_files_of_both_kinds(case):
    case.apply(b"A")

    case.killed(UNDO, after=3)

    assert case.now() == b"A" * 9 + b"000"


def test_an_undo_after_a_killed_undo_finishes_that_and_takes_back_nothing_else(case):
    case.apply(b"A")
    entry = case.apply(b"B")
    case.killed(UNDO, after=3)

    done = case.undo()

    assert (done.returncode, case.now(), done.stdout.splitlines()[-1]) == (0, b"A" * 12, f"undone: {entry}")
    assert f"finished the undo of {entry} that was interrupted" in done.stderr


def test_an_undo_after_a_killed_undo_of_all_there_was_is_done(case):
    entry = case.apply(b"A")
    case.killed(UNDO, after=3)

    done, again = case.undo("--json"), case.undo()

    assert (done.returncode, case.now(), f'"{entry}"' in done.stdout) == (0, b"0" * 12, True)
    assert f"finished the undo of {entry} that was interrupted" in done.stderr
    assert (again.returncode, "nothing was applied here that could be undone" in again.stderr) == (2, True)


def test_an_undo_that_names_the_killed_one_finishes_it(case):
    case.apply(b"A")
    entry = case.apply(b"B")
    case.killed(UNDO, after=3)

    assert (case.undo(entry).returncode, case.now()) == (0, b"A" * 12)


def test_an_undo_that_names_another_takes_that_back_as_well(case):
    first = case.apply(b"A")
    case.apply(b"B")
    case.killed(UNDO, after=3)

    assert (case.undo(first).returncode, case.now()) == (0, b"0" * 12)


def test_an_undo_after_a_killed_apply_takes_that_back_and_nothing_else(case):
    case.apply(b"A")
    case.killed(APPLY, after=3)
    half = case.now()

    done = case.undo()

    assert (half, done.returncode, case.now()) == (b"BBB" + b"A" * 9, 0, b"A" * 12)
    assert "was half applied; taken back" in done.stderr


def test_what_changed_after_a_killed_undo_stays_and_nothing_else_is_taken_back(case):
    case.apply(b"A")
    case.apply(b"B")
    case.killed(UNDO, after=3)
    (case.project / NAMES[0]).write_bytes(b"M")

    done = case.undo()

    assert (done.returncode, case.now()) == (2, b"M" + b"A" * 11)
    assert f"files that changed since: {NAMES[0]}" in done.stderr


def test_a_killed_undo_of_another_project_does_not_stop_this_one(case, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.txt").write_bytes(b"0")
    with contextlib.closing(case.tunnel()) as tunnel:
        tunnel.apply(other, good(other, b"A", ["a.txt"]))
    case.apply(b"A")
    case.killed(UNDO, after=3)

    done = case.cli("undo", "--project", str(other))

    assert (done.returncode, (other / "a.txt").read_bytes(), case.now()) == (0, b"0", b"0" * 12)
    assert f"{case.project}: finished the undo of" in done.stderr


def test_an_apply_tells_what_it_finished_first(case):
    entry = case.apply(b"A")
    case.killed(UNDO, after=3)
    for name in NAMES:
        (case.project / name).write_bytes(b"0")  # as a person who mends it by hand
    tunnel = case.tunnel()

    tunnel.apply(case.project, good(case.project, b"C"))

    assert (case.now(), case.heard) == (b"C" * 12, [f"{case.project}: finished the undo of {entry} that was interrupted"])


# --- what is written down ---


def as_hashes(text):
    return {name: hashlib.sha256(text[at:at + 1]).hexdigest() for at, name in enumerate(NAMES)}


def test_what_an_undo_finished_has_a_record_that_the_project_finds(case):
    entry = case.apply(b"A")
    case.killed(UNDO, after=3)

    case.undo()

    found = case.records(project=str(case.project), kind="recover")
    (undone,) = case.records(kind="undo", outcome="done")
    assert [(one.outcome, one.subject, one.parent, one.details["state"]) for one in found] == [("done", entry, undone.id, "undone")]
    assert (found[0].details["before"], found[0].details["after"]) == (as_hashes(b"A" * 9 + b"000"), as_hashes(b"0" * 12))


def test_what_an_apply_took_back_first_has_a_record(case):
    case.killed(APPLY, after=3)
    half, tunnel = case.now(), case.tunnel()

    with pytest.raises(ProjectMoved):  # since it was found good on files half rewritten
        tunnel.apply(case.project, good(case.project, b"C"))

    (found,) = case.records(project=str(case.project), kind="recover")
    assert (found.outcome, found.details["before"], found.details["after"]) == ("done", as_hashes(half), as_hashes(b"0" * 12))


@pytest.mark.parametrize("kind", ["trial", "rank"])
def test_what_a_trial_or_a_race_took_back_first_has_a_record(case, kind):
    case.killed(APPLY, after=3)
    (case.project / "test_a.py").write_text("def test_a():\n    pass\n")
    tunnel = case.tunnel()
    change = [FileChange(NAMES[0], "modify", "C")]

    if kind == "trial":
        tunnel.try_change(case.project, change, test="python3 -m unittest")
    else:
        tunnel.rank(case.project, {"one": change}, test="python3 -m unittest")

    (found,) = find(tunnel.audit, AuditQuery(project=str(case.project), kind="recover"))
    (act,) = find(tunnel.audit, AuditQuery(project=str(case.project), kind=kind))
    assert (found.entry.outcome, found.entry.parent, case.now()) == ("done", act.entry.id, b"0" * 12)


def test_a_recovery_that_is_killed_as_well_is_told_as_lost(case):
    case.apply(b"A")
    case.killed(UNDO, after=3)
    case.killed(UNDO, after=3)

    assert (case.undo().returncode, case.now()) == (0, b"0" * 12)
    assert [(one.kind, one.outcome) for one in case.records()] == [
        ("apply", "done"), ("undo", "lost"), ("undo", "lost"), ("recover", "lost"), ("recover", "done"), ("undo", "done")]


def break_the_log(case):
    for path in (case._folder / "state").glob("audit.db*"):
        path.unlink()
    (case._folder / "state" / "audit.db").mkdir()


def test_without_its_record_nothing_is_recovered(case):
    case.apply(b"A")
    case.killed(UNDO, after=3)
    break_the_log(case)

    with pytest.raises(SandboxFailure, match="not a plain file"):
        case.tunnel().recover()

    assert case.now() == b"A" * 9 + b"000"


@pytest.mark.parametrize("auditing", [Auditing.OPTIONAL, Auditing.OFF])
def test_an_operator_may_choose_that_it_is_recovered_without_a_record(case, auditing):
    entry = case.apply(b"A")
    case.killed(UNDO, after=3)
    break_the_log(case)

    (told,) = case.tunnel(audit=auditing).recover()

    assert (case.now(), f"finished the undo of {entry}" in told) == (b"0" * 12, True)
    assert any("recover not written down" in heard for heard in case.heard) == (auditing is Auditing.OPTIONAL)


def test_what_a_policy_is_asked_is_the_undo_that_is_finished(case, tmp_path):
    case.apply(b"A")
    entry = case.apply(b"B", NAMES[:6])
    case.killed(UNDO, after=3)
    half = case.now()
    (tmp_path / "policy.yaml").write_text("version: 1\ndefault: ask\n")
    tunnel = case.tunnel(policy=tmp_path / "policy.yaml")

    with pytest.raises(ApprovalNeeded) as asked:
        tunnel.undo(case.project)

    assert (case.now(), f'"entry": "{entry}"' in tunnel.approvals.inputs(asked.value.approval)) == (half, True)


def test_an_undo_has_its_files_before_and_after_in_its_record(case):
    case.apply(b"A")

    tunnel = case.tunnel()
    tunnel.undo(case.project)

    (found,) = find(tunnel.audit, AuditQuery(kind="undo"))
    details = found.entry.details
    assert (details["before"], details["after"]) == (as_hashes(b"A" * 12), as_hashes(b"0" * 12))
    assert blobs.content(tunnel.audit, details["before"][NAMES[0]]) == b"A"


def test_a_trial_has_its_files_as_the_project_has_them_in_its_record(case):
    (case.project / "test_a.py").write_text("def test_a():\n    pass\n")
    tunnel = case.tunnel()

    tunnel.try_change(case.project, [FileChange(NAMES[0], "modify", "C"), FileChange("new.txt", "create", "x")], test="python3 -m unittest")

    (found,) = find(tunnel.audit, AuditQuery(kind="trial"))
    assert found.entry.details["before"] == {NAMES[0]: hashlib.sha256(b"0").hexdigest(), "new.txt": None}
    assert blobs.content(tunnel.audit, hashlib.sha256(b"0").hexdigest()) is None
