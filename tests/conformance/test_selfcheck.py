import os
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.result import ExecutionResult, Level, Reason
from windtunnel.sandbox.attacks import ALL, Outcome
from windtunnel.sandbox.attacks.bare import BareRunner
from windtunnel.sandbox.attacks.base import Attack, held, not_run, render
from windtunnel.sandbox.attacks.host import FOLDER_PREFIX, SECRET_NAME, Host
from windtunnel.sandbox.attacks.posture import Mount, posture_of
from windtunnel.sandbox.attacks.processes import marked
from windtunnel.sandbox.selfcheck import Report, Row, run_attack, run_selfcheck
from windtunnel.testing import Case, NotConforming, conformance_cases

ROWS = (
    *(f"S{n:02}" for n in range(1, 13)),
    "F01", "F02", *(f"F{n:02}" for n in range(4, 14)),
    *(f"N{n:02}" for n in range(1, 10)),
    *(f"K{n:02}" for n in range(1, 17)),
    *(f"R{n:02}" for n in range(1, 18)),
)  # fmt: skip


class Silent:
    """A sandbox that runs nothing and says that all went well."""

    level = Level.PROCESS

    def run(self, job):
        return ExecutionResult(exit_code=0)

    def close(self):
        pass


class Broken(Silent):
    def run(self, job):
        raise SandboxFailure("it fell over")


def row(outcome, **fields):
    return Row(row="S04", title="reads", severity="Leak", outcome=outcome, evidence="seen", **fields)


def attack(**fields):
    return Attack(row="S04", title="reads", severity="Leak", code="finish()\n",
                  **{"judge": lambda host, result: held("seen"), **fields})


@pytest.mark.parametrize(("reason", "expected"), [
    (Reason.OUT_OF_MEMORY, Outcome.HELD), (Reason.TIMEOUT, Outcome.UNPROVEN), (Reason.EXITED, Outcome.NOT_HELD),
    (Reason.KILLED, Outcome.NOT_HELD)])
def test_only_the_memory_limit_itself_proves_the_memory_limit(reason, expected, make_job):
    class Ending(Silent):
        def run(self, job):
            return ExecutionResult(exit_code=1, reason=reason)

    (memory,) = (one for one in ALL if one.row == "R01")

    assert run_attack(memory, sandbox=Ending(), make_job=make_job).outcome is expected


def test_every_row_about_one_program_has_an_attack():
    assert tuple(one.row for one in ALL) == ROWS


@pytest.mark.parametrize("one", ALL, ids=lambda one: one.row)
def test_a_sandbox_that_runs_nothing_holds_nothing(one, make_job):
    assert run_attack(one, sandbox=Silent(), make_job=make_job).outcome is not Outcome.HELD


def test_a_sandbox_that_breaks_is_unproven(make_job):
    verdict = run_attack(attack(), sandbox=Broken(), make_job=make_job)

    assert (verdict.outcome, verdict.evidence) == (Outcome.UNPROVEN, "SandboxFailure: it fell over")


def test_an_attack_that_does_not_apply_is_not_run_and_says_why(make_job):
    verdict = run_attack(attack(needs=lambda: "no such processor"), sandbox=Broken(), make_job=make_job)

    assert verdict == not_run("no such processor")


@pytest.mark.parametrize(("rows", "expected"), [
    ((), False),
    ((row(Outcome.HELD),), True),
    ((row(Outcome.NOT_RUN),), False),
    ((row(Outcome.HELD), row(Outcome.NOT_RUN)), True),
    ((row(Outcome.HELD), row(Outcome.NOT_HELD)), False),
    ((row(Outcome.HELD), row(Outcome.UNPROVEN)), False),
    ((row(Outcome.HELD), row(Outcome.NOT_HELD, exception="known")), True),
])
def test_a_report_holds_only_when_something_was_shown_and_nothing_failed(rows, expected):
    assert Report(rows=rows).held is expected


def test_the_table_shows_known_exceptions_with_their_reason():
    table = Report(rows=(row(Outcome.NOT_HELD, exception="no such namespace"),)).table()

    assert table == (
        "S04  Leak  not held  reads\n     seen [known exception: no such namespace]\n\n1 not held\n"
    )


def test_the_report_for_machines_has_rows_and_counts():
    assert Report(rows=(row(Outcome.HELD),)).as_dict() == {
        "held": True,
        "counts": {"held": 1, "not held": 0, "not run": 0, "unproven": 0},
        "rows": [{"row": "S04", "title": "reads", "severity": "Leak", "outcome": "held", "evidence": "seen",
                  "exception": None}],
    }


def test_progress_gets_each_row_as_it_is_known(make_job):
    seen = []

    report = run_selfcheck(BareRunner(), make_job, cases=[attack()], progress=seen.append)

    assert tuple(seen) == report.rows


def test_an_exception_for_an_unknown_row_is_refused(make_job):
    with pytest.raises(UsageError, match="no such row: Z99"):
        run_selfcheck(Silent(), make_job, exceptions={"Z99": "because"})


def test_a_case_that_does_not_hold_is_raised(make_job):
    case = next(case for case in conformance_cases() if case.row == "S05")

    with pytest.raises(NotConforming, match=r"S05 .*not held"):
        case.check(BareRunner(), make_job=make_job)


def test_a_known_exception_that_does_not_hold_is_returned(make_job):
    case = next(case for case in conformance_cases(exceptions={"S05": "no walls"}) if case.row == "S05")

    assert case.check(BareRunner(), make_job=make_job).outcome is Outcome.NOT_HELD


def test_a_known_exception_that_holds_after_all_is_raised(make_job):
    case = Case(row="S04", subject=attack(), exception="once")

    with pytest.raises(NotConforming, match="take it off"):
        case.check(BareRunner(), make_job=make_job)


def test_the_host_leaves_nothing_behind():
    with Host() as host:
        assert host.secret
        assert host.leaked
        assert host.listeners
        pid, token, folder = host.victim.process.pid, host.token, host.folder

    assert (Path(folder).exists(), Path(f"/proc/{pid}").exists(), os.environ.get(SECRET_NAME), marked(token)) == (
        False, False, None, {})


def test_the_host_does_not_follow_links_when_it_cleans_up(tmp_path):
    tmp_path.chmod(0o750)
    with Host() as host:
        Path(host.folder, "link").symlink_to(tmp_path)

    assert (tmp_path.is_dir(), tmp_path.stat().st_mode & 0o777) == (True, 0o750)


def test_an_attack_cleans_up_when_the_sandbox_breaks(make_job, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    seen = []

    def prepare(host):
        given = {"path": host.private.path}
        seen.extend(tmp_path.glob(f"{FOLDER_PREFIX}*"))
        return given

    run_attack(attack(prepare=prepare), sandbox=Broken(), make_job=make_job)

    assert (len(seen), list(tmp_path.iterdir())) == (1, [])


def test_values_become_literals_of_the_program():
    program = render("print({path}, {port}, {other})\n", {"token": "t", "path": "a'b\n", "port": 7})

    assert program.endswith("print(\"a'b\\n\", 7, {other})\n")


def test_a_watcher_is_told_to_stop_when_the_run_ends(make_job):
    stopped = []

    def watch(host: Host, stop: threading.Event) -> None:
        stopped.append(stop.wait(10))

    run_attack(attack(watch=watch), sandbox=BareRunner(), make_job=make_job)

    assert stopped == [True]


@pytest.mark.parametrize(("fields", "expected"), [
    ({"kind": "ext4"}, True),
    ({"kind": "ext4", "writable": False}, False),
    ({"kind": "tmpfs"}, False),
    ({"kind": "tmpfs", "shared": True}, True),
    ({"kind": "devtmpfs", "root": "/null", "point": "/dev/null"}, False),
    ({"kind": "devtmpfs", "root": "/", "point": "/dev"}, True),
])
def test_a_mount_is_the_hosts_when_writing_to_it_outlives_the_run(fields, expected):
    values = {"device": "999:999", "source": "x", "root": "/", "point": "/x", "writable": True, **fields}

    assert Mount(**values).host_writable is expected


def test_a_process_of_our_own_mounts_shares_all_of_them():
    process = subprocess.Popen(["/bin/sleep", "60"])
    shared = {mount.shared for mount in posture_of(process.pid).mounts}
    process.kill()
    process.wait()

    assert shared == {True}
