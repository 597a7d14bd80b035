"""Every act leaves its beginning and its end in the log, with what was asked and what came of it."""

import contextlib
import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import asdict, replace

import pytest
from trials import BROKEN_SHOP, CALC, ONE_RUNNER, WRONG, modify, write

from windtunnel import Tunnel, config
from windtunnel.core.audit import Auditing, AuditQuery
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.limits import Limits
from windtunnel.engine.audit import trail_in
from windtunnel.store.audit import blobs, intents
from windtunnel.store.audit.query import find
from windtunnel.store.audit.verify import verify


@pytest.fixture
def make(tmp_path):
    """Makes tunnels that are closed after the test."""
    with contextlib.ExitStack() as made:
        yield lambda **fields: made.enter_context(Tunnel(replace(
            config.load(), state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0, actor="ann", **fields)))


@pytest.fixture
def audited(make):
    return make()


@pytest.fixture
def shop(tmp_path):
    return write(tmp_path / "shop", BROKEN_SHOP) if (tmp_path / "shop").mkdir() is None else None


def told(tunnel, **query):
    return [(record.entry.kind, record.entry.outcome) for record in find(tunnel.audit, AuditQuery(**query))]


def last(tunnel):
    return next(find(tunnel.audit, AuditQuery(newest_first=True, limit=1)))


def test_a_run_is_told_with_its_answer_and_its_walls(audited):
    result = audited.run("print('hello')", env_vars={"TOKEN": "not to be stored"})

    record = last(audited)
    details = record.entry.details
    assert told(audited) == [("run", "done")]
    assert (record.entry.actor, record.entry.session, record.entry.subject) == ("ann", audited.session, result.id)
    assert (details["result"]["exit_code"], details["output"]["stdout"]["head"], details["controls"]) == (0, "hello\n", dict(result.enforced))
    assert b"not to be stored" not in audited.audit.raw(0)[1]
    assert details["inputs"]["variables"] == ["TOKEN"]


@pytest.mark.parametrize(("code", "limits", "outcome"), [
    ("raise SystemExit(3)", None, "failed"), ("while True: pass", Limits(wall_seconds=0.3), "timeout")])
def test_how_a_run_ended_is_told(audited, code, limits, outcome):
    audited.run(code, limits=limits)

    assert told(audited)[-1] == ("run", outcome)


def test_what_is_refused_is_told_too(audited):
    with pytest.raises(UsageError):
        audited.run("   ")

    assert told(audited) == [("run", "refused")]
    assert last(audited).entry.details["error"]["message"] == "code: empty (give at least one statement)"


def test_what_a_program_prints_is_no_record(audited):
    forged = json.dumps({"seq": 99, "kind": "apply", "outcome": "done"})
    audited.run(f"print({forged!r}); print('\\n\\x1b[2J\\u2028')")

    assert told(audited) == [("run", "done")]
    assert verify(audited.audit).success


def test_a_flood_of_output_is_bounded_in_its_record(audited):
    audited.run("print('x' * 1_000_000)")

    assert len(audited.audit.raw(0)[1]) < 30_000
    assert last(audited).entry.details["output"]["stdout"]["bytes"] == 1_000_001


def test_a_trial_an_apply_and_an_undo_hang_together(audited, shop):
    result = audited.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
    entry = audited.apply(shop, result)
    applied = last(audited)
    audited.undo(shop)

    assert told(audited) == [("trial", "good"), ("apply", "done"), ("undo", "done")]
    assert (applied.entry.parent, applied.entry.subject, applied.entry.project) == (result.id, entry, str(shop))
    before, after = applied.entry.details["before"]["calc.py"], applied.entry.details["after"]["calc.py"]
    assert [blobs.content(audited.audit, one).decode() for one in (before, after)] == [WRONG, CALC]
    assert last(audited).entry.details["after"] == {"calc.py": before}


def test_a_trial_is_told_with_its_commands_and_its_delta(audited, shop):
    audited.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER, secrets={"test": {"KEY": "hush-hush-hush"}})

    details = last(audited).entry.details
    assert details["delta"]["fixed"] == ["test_calc.py::test_add"]
    assert [(one["tool"], one["exit_code"]) for one in details["commands"]] == [("pytest", 0)]
    assert b"hush-hush" not in b"".join(part for seq in range(audited.audit.size) for part in audited.audit.raw(seq))


def test_a_tournament_is_told_with_each_of_its_trials(audited, shop):
    audited.rank(shop, {"good": [modify("calc.py", CALC)], "bad": [modify("calc.py", "def add(a, b):\n    return 1\n")]}, **ONE_RUNNER)

    assert told(audited, parent=last(audited).entry.id, project=str(shop)) == [("trial", "good"), ("trial", "not good")]
    assert told(audited)[-1] == ("rank", "done")


def unwritable(audited):
    audited.settings.state_dir.mkdir(parents=True, exist_ok=True)
    (audited.settings.state_dir / "audit.db").mkdir()


def test_without_its_record_nothing_runs(audited):
    unwritable(audited)
    ran = []

    with pytest.raises(SandboxFailure, match="not a plain file"):
        audited.run("print(1)", on_stdout=ran.append)

    assert ran == []


def test_an_operator_may_choose_that_it_runs_and_says_so(make):
    audited = make(audit=Auditing.OPTIONAL)
    unwritable(audited)

    result = audited.run("print(1)")

    assert (result.stdout, "not a plain file" in result.enforced["record"]) == ("1\n", True)


def test_an_unrecorded_trial_says_so(make, shop):
    audited = make(audit=Auditing.OPTIONAL)
    unwritable(audited)

    result = audited.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)

    assert any("not written down" in note for note in result.notes)


def foreign(path):
    """A database of another program in the place of the log."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE theirs (x)")


@pytest.fixture
def heard(tmp_path):
    """A tunnel whose acts go on without their record, and what it says."""
    said = []
    settings = replace(config.load(), state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0, actor="ann", audit=Auditing.OPTIONAL)
    foreign(tmp_path / "state" / "audit.db")
    with Tunnel(settings, tell=said.append) as tunnel:
        yield tunnel, said


def test_whoever_listens_hears_of_each_act_that_is_not_written_down(heard):
    tunnel, said = heard

    tunnel.run("print(1)")

    assert [line.partition(": ")[0] for line in said] == ["run not written down"]


def test_an_apply_and_an_undo_go_on_and_say_that_they_are_not_written_down(heard, shop):
    tunnel, said = heard
    result = tunnel.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)

    tunnel.apply(shop, result)
    applied = (shop / "calc.py").read_text()
    tunnel.undo(shop)

    assert (applied, (shop / "calc.py").read_text()) == (CALC, WRONG)
    assert [line.partition(":")[0] for line in said if not line.startswith("contents ")] == [
        "trial not written down", "apply not written down", "undo not written down"]


def test_an_apply_is_refused_where_its_record_is_wanted(make, shop, tmp_path):
    audited = make()
    result = audited.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
    audited.close()
    (tmp_path / "state" / "audit.db").unlink()
    foreign(tmp_path / "state" / "audit.db")

    with pytest.raises(SandboxFailure, match="a database of another program"):
        audited.apply(shop, result)

    assert (shop / "calc.py").read_text() == WRONG


def test_a_history_that_cannot_be_written_is_a_word_where_acts_go_on(heard, tmp_path, shop):
    tunnel, said = heard
    (tmp_path / "state" / "history.db").mkdir()

    result = tunnel.run("print(1)")
    tunnel.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)

    assert result.stdout == "1\n"
    assert [line.split(": ")[2] for line in said if line.startswith("history not written down: ")] == [
        "not a plain file; move it away, or set WINDTUNNEL_STATE_DIR to another folder, or WINDTUNNEL_HISTORY=off"]


def test_a_history_that_cannot_be_written_refuses_a_run_where_the_record_is_wanted(make, tmp_path):
    (tmp_path / "state" / "history.db").mkdir(parents=True)

    with pytest.raises(SandboxFailure, match="not a plain file"):
        make().run("print(1)")


def test_a_log_that_fails_at_the_end_is_a_word_where_acts_go_on(tmp_path):
    said, settings = [], replace(config.load(), state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0, audit=Auditing.OPTIONAL)
    with Tunnel(settings, tell=said.append) as tunnel:
        tunnel.run("print(1)")
        tunnel.audit.settle()
        tunnel.audit.close = lambda: (_ for _ in ()).throw(SandboxFailure("the disk is full"))

    assert said == ["the last acts not written down: the disk is full"]


def test_without_a_policy_the_record_says_so(audited, shop):
    audited.run("print(1)")
    result = audited.try_change(shop, [modify("calc.py", CALC)], **ONE_RUNNER)
    audited.apply(shop, result)
    audited.undo(shop)
    with pytest.raises(UsageError):
        audited.run("   ")

    assert [(record.entry.kind, record.entry.details["policy"]) for record in find(audited.audit, AuditQuery())] == [
        (kind, {"effect": "allow", "rule": "no policy"}) for kind in ("run", "trial", "apply", "undo", "run")]


def test_a_log_that_is_switched_off_is_not_even_made(make):
    audited = make(audit=Auditing.OFF)

    audited.run("print(1)")

    assert not (audited.settings.state_dir / "audit.db").exists()


KILLED = """
import sys
from dataclasses import asdict, replace
from pathlib import Path
from windtunnel import Tunnel, config
folder = Path(sys.argv[1])
Tunnel(replace(config.load(), state_dir=folder / "state", cache_dir=folder / "cache", pool_size=0, actor="bob")).run("import time; time.sleep(60)")
"""


def test_an_act_whose_process_was_killed_is_ended_by_an_explicit_record(audited, tmp_path):
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)])
    until = time.monotonic() + 60
    while time.monotonic() < until and not any(path.stat().st_size for path in tmp_path.glob("state/audit.acts/*")):
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)

    audited.run("print(1)")

    assert told(audited) == [("run", "lost"), ("run", "done")]
    assert audited.audit.get(0).entry.actor == "bob"
    assert verify(audited.audit).success
    assert len(list(tmp_path.glob("state/audit.acts/*"))) == 1, "the dead process's file is gone"


def test_an_act_that_was_recorded_before_its_process_died_is_not_lost(audited, tmp_path):
    audited.run("print(1)")
    entry = audited.audit.get(0).entry
    (mine,) = tmp_path.glob("state/audit.acts/*")
    dead = mine.with_name(re.sub(r"\+[0-9]+\+[0-9]+\.acts$", "+4194304+1.acts", mine.name))
    dead.write_text(json.dumps({**asdict(entry), "details": {}}) + "\n" + '{"id": "cut off')

    assert (audited.audit.repair(), dead.exists()) == ([], False)


@pytest.mark.parametrize("content", [b"", b"garbage\n", b"[]\n", b'{"id": 1}\n', b"[" * 100_000 + b"\n", b"\xff\xfe\n"])
def test_a_damaged_note_of_a_dead_process_is_cleared_away(audited, tmp_path, content):
    audited.run("print(1)")
    (mine,) = tmp_path.glob("state/audit.acts/*")
    dead = mine.with_name(re.sub(r"\+[0-9]+\+[0-9]+\.acts$", "+4194304+1.acts", mine.name))
    dead.write_bytes(content)

    assert (audited.audit.repair(), dead.exists()) == ([], False)


def test_the_note_of_what_is_under_way_does_not_grow(audited, tmp_path):
    for _ in range(3):
        audited.run("print(1)")

    audited.audit.settle()
    (mine,) = tmp_path.glob("state/audit.acts/*")
    assert mine.stat().st_size == 0
    audited.close()
    assert not mine.exists()


POSTED = """
import os, signal, sys
from windtunnel.core.audit import AuditEntry
from windtunnel.store.audit.log import AuditLog
log = AuditLog(sys.argv[1])
for number in range(3):
    entry = AuditEntry(kind="run", outcome="begun", actor="bob", details={})
    log.begin(entry)
    log.post(AuditEntry(kind="run", outcome="done", actor="bob", id=entry.id, details={"number": number}))
log.begin(AuditEntry(kind="run", outcome="begun", actor="bob"))
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_what_was_handed_in_before_a_kill_is_written_by_the_next(audited, tmp_path):
    audited.settings.state_dir.mkdir()
    subprocess.run([sys.executable, "-c", POSTED, str(audited.settings.state_dir / "audit.db")], check=False, timeout=60)

    audited.run("print(1)")

    assert told(audited) == [("run", "done"), ("run", "done"), ("run", "done"), ("run", "lost"), ("run", "done")]
    assert [audited.audit.get(seq).entry.details["number"] for seq in range(3)] == [0, 1, 2]
    assert verify(audited.audit).success


def test_what_was_handed_in_is_in_the_log_soon(audited):
    audited.run("print(1)")
    other = trail_in(audited.settings.state_dir).log
    until = time.monotonic() + 30
    while time.monotonic() < until and not other.size:
        time.sleep(0.05)

    assert other.size == 1


def test_a_log_that_fails_later_refuses_the_next_act(audited):
    audited.run("print(1)")
    audited.audit.settle()
    audited.audit.shelf.live.database.do(lambda connection: connection.execute("PRAGMA max_page_count = 1"))
    audited.audit.post(replace(audited.audit.get(0).entry, id="x", details={"big": "x" * 500_000}))
    until = time.monotonic() + 30
    while time.monotonic() < until and audited.audit._failure is None:
        time.sleep(0.05)

    with pytest.raises(SandboxFailure, match="free some room on the disk"):
        audited.run("print(2)")

    audited.audit.shelf.live.database.do(lambda connection: connection.execute("PRAGMA max_page_count = 100000"))
    audited.run("print(3)")
    assert [record.entry.id == "x" for record in find(audited.audit, AuditQuery())] == [False, True, False]


def test_the_note_of_a_busy_process_is_begun_anew(audited, monkeypatch, tmp_path):
    monkeypatch.setattr(intents, "_MOST_KEPT", 2000)
    with audited._acts.act("run", dict) as long:
        for _ in range(30):
            with audited._acts.act("run", dict):
                pass
            audited.audit.settle()
        (mine,) = tmp_path.glob("state/audit.acts/*")
        kept = mine.read_text()

    assert (long.id in kept, len(kept) < 4000, audited.audit.size) == (True, True, 31)


def test_an_act_that_is_still_under_way_is_left_alone(audited):
    with audited._acts.act("run", dict):
        assert audited.audit.repair() == []


def test_a_program_cannot_see_the_log(audited):
    audited.run("print(1)")
    path = audited.settings.state_dir / "audit.db"

    result = audited.run(f"import os; print(os.path.exists({str(path)!r}), os.path.exists({str(path.parent)!r}))")

    assert result.stdout == "False False\n"


def test_a_trail_proves_what_came_after_its_last_checkpoint_by_a_new_one(audited):
    trail = trail_in(audited.settings.state_dir)
    audited.run("print(1)")
    audited.audit.settle()
    trail.checkpoint()
    audited.run("print(2)")
    audited.audit.settle()

    trail.prove(trail.entry("1"))

    assert [note.split("\n")[1] for note in trail.log.checkpoints()] == ["1", "2"]
    assert trail.verify().checkpoints == 2
