"""``windtunnel audit`` over a log that was bent, cannot be written, or is gone; and what it proves of its growth."""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from windtunnel.core.audit import AuditEntry
from windtunnel.engine.audit import trail_in
from windtunnel.store.audit.blobs import keep

DATA = b"print('new')\n"
READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"'


def state(cli):
    return Path(cli.env["WINDTUNNEL_STATE_DIR"])


@pytest.fixture
def used(cli):
    """A command line with four records behind it, the last of an apply."""
    trail = trail_in(state(cli))
    keep(trail.log, [DATA])
    trail.log.append_all([AuditEntry(kind="run", outcome="done", actor="ann", details={"number": number}) for number in range(3)])
    trail.log.append(AuditEntry(kind="apply", outcome="done", actor="ann", details={"after": {"a.py": digest(DATA)}}))
    trail.log.close()
    return cli


def digest(data):
    return hashlib.sha256(data).hexdigest()


def bend(cli, statement):
    with closing(sqlite3.connect(state(cli) / "audit.db", isolation_level=None)) as connection:
        connection.execute(statement)


def test_a_value_of_another_kind_is_named(used):
    bend(used, "UPDATE records SET details = 'text' WHERE seq = 2")

    verified, exported = used("audit", "verify"), used("audit", "export")

    assert (verified.returncode, verified.stdout) == (1, "bad: record 2 edited: record 2 was edited: it is not stored as it was written\n")
    assert (exported.returncode, "record 2 was edited and cannot be read" in exported.stderr) == (125, True)


def test_a_planted_trigger_refuses_the_act_that_it_would_have_hidden(used):
    bend(used, "CREATE TRIGGER t BEFORE INSERT ON records BEGIN SELECT raise(ignore); END")

    done = used("run", "-c", "print(1)")

    assert (done.returncode, done.stdout, "its tables are not as Windtunnel makes them (trigger t)" in done.stderr) == (125, "", True)


def test_an_edited_checkpoint_is_bad(used):
    used("audit", "checkpoint")
    bend(used, "UPDATE checkpoints SET note = replace(note, 'windtunnel', 'windtunnei')")

    done = used("audit", "verify")

    assert (done.returncode, done.stdout.startswith("bad: edited: the stored checkpoint of 4 records is not what was signed")) == (1, True)


@pytest.mark.parametrize("wanted", ["a.py", digest(DATA), digest(DATA)[:10]])
def test_a_kept_content_is_read_back(used, wanted):
    done = used("audit", "show", "3", "--content", wanted)

    assert (done.returncode, done.stdout) == (0, DATA.decode())


def test_a_content_that_a_record_does_not_name_is_said(used):
    done = used("audit", "show", "3", "--content", "b.py")

    assert (done.returncode, "names no kept content of 'b.py' (it has a.py)" in done.stderr) == (2, True)


def read_only(cli, *words):
    """The command in a folder of state that nobody can write, root included."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        pytest.skip("a read-only folder needs root and unshare")
    wrap = ["unshare", "--mount", "--propagation", "private", "sh", "-c", READ_ONLY, str(state(cli))]
    if subprocess.run([*wrap, "true"], capture_output=True, check=False, timeout=60).returncode != 0:
        pytest.skip("mounts are forbidden here")
    return subprocess.run([*wrap, sys.executable, "-m", "windtunnel", "audit", *words], env=cli.env, capture_output=True, text=True,
                          check=False, timeout=120)


@pytest.mark.parametrize(("words", "begins"), [(("verify",), "whole: 4 records"), (("log", "--group-by", "kind", "--json"), "{\n"), (("show", "1"), "{")])
def test_a_log_that_cannot_be_written_is_read_and_that_is_said(used, words, begins):
    done = read_only(used, *words)

    assert (done.returncode, done.stdout[:len(begins)], done.stderr.strip()) == (
        0, begins, f"{state(used) / 'audit.db'}: cannot be written here, and is only read")


def test_a_verb_that_writes_refuses_a_log_that_cannot_be_written(used):
    done = read_only(used, "redact", "1", "--detail", "number", "--reason", "test")

    assert (done.returncode, "make the file" in done.stderr or "make the folder" in done.stderr) == (125, True)


def test_rows_that_a_folder_that_cannot_be_written_hides_are_never_left_out(used):
    connection = sqlite3.connect(state(used) / "audit.db", isolation_level=None)
    connection.execute("INSERT INTO blobs VALUES ('x', x'00')")  # stays in the write-ahead log while this is open
    saved = {ending: (state(used) / f"audit.db{ending}").read_bytes() for ending in ("", "-wal")}
    connection.close()
    for ending, data in saved.items():
        (state(used) / f"audit.db{ending}").write_bytes(data)
    (state(used) / "audit.db-shm").unlink(missing_ok=True)

    done = read_only(used, "verify")

    assert (done.returncode, "rows that are still in audit.db-wal cannot be read" in done.stderr) == (125, True)


def test_growth_is_proven_to_somebody_who_kept_a_checkpoint(used, command_line, tmp_path):
    (tmp_path / "stranger").mkdir()
    stranger = command_line(tmp_path / "stranger")
    kept, proof = tmp_path / "kept", tmp_path / "proof.json"
    used("audit", "checkpoint", "--to", str(kept))
    used("audit", "redact", "1", "--detail", "number", "--reason", "test")
    proof.write_text(used("audit", "prove", "--since", str(kept)).stdout)
    key = used("audit", "keys").stdout.strip()

    done = stranger("audit", "check", str(proof), "--key", key, "--against", str(kept), "--json")

    told = json.loads(done.stdout)
    assert (done.returncode, told["success"], told["since"]["size"], told["size"]) == (0, True, 4, 5)


def test_a_proof_is_of_one_thing(used):
    assert [used("audit", "prove", *words).returncode for words in ((), ("1", "--since", "kept"))] == [2, 2]


def test_a_pipe_is_no_proof(used, tmp_path):
    os.mkfifo(tmp_path / "pipe")

    done = used("audit", "check", str(tmp_path / "pipe"))

    assert (done.returncode, "not a plain file" in done.stderr) == (2, True)
