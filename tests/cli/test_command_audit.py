"""``windtunnel audit`` as a person starts it."""

import contextlib
import json
import shutil
import signal
import sqlite3
import subprocess
from pathlib import Path

import pytest

from windtunnel.cli.audit_log import moment
from windtunnel.core.errors import UsageError


@pytest.fixture(scope="module")
def three_runs(command_line, tmp_path_factory):
    """The state that three runs leave."""
    made = command_line(tmp_path_factory.mktemp("audited"))
    for code in ("print(1)", "raise SystemExit(2)", "print(3)"):
        made("run", "-c", code)
    return state(made)


@pytest.fixture
def used(cli, three_runs):
    """A command line with three runs behind it."""
    shutil.copytree(three_runs, state(cli))
    return cli


@pytest.fixture
def stranger(command_line, tmp_path):
    """Somebody else's."""
    (tmp_path / "stranger").mkdir()
    return command_line(tmp_path / "stranger")


def state(cli):
    return Path(cli.env["WINDTUNNEL_STATE_DIR"])


def answer(done):
    return json.loads(done.stdout)


def bend(used, statement):
    path = state(used) / "audit.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(statement)
    connection.close()


def test_the_log_is_a_table_newest_first(used):
    done = used("audit", "log", "--kind", "run", "-n", "3")

    head, *rows = done.stdout.splitlines()
    assert head.split() == ["no", "when", "kind", "outcome", "actor", "project", "about"]
    assert [row.split()[0] for row in rows] == ["2", "1", "0"]


def test_the_log_is_narrowed_and_told_as_json(used):
    found = answer(used("audit", "log", "--outcome", "failed", "--since", "1h", "--json"))

    assert [(one["kind"], one["outcome"], one["details"]["result"]["exit_code"]) for one in found] == [("run", "failed", 2)]


def test_records_are_counted(used):
    assert answer(used("audit", "log", "--group-by", "outcome", "--json")) == {"done": 2, "failed": 1}


def test_a_whole_log_is_verified_and_what_cannot_be_found_is_said(used):
    done = used("audit", "verify")

    assert done.returncode == 0
    assert done.stdout.startswith("whole: 3 records, 0 checkpoints, head ")
    assert "cannot be found from here: records cut off" in done.stdout


def test_a_bent_record_is_named(used):
    bend(used, "UPDATE records SET header = replace(header, 'failed', 'done') WHERE seq = 1")

    done = used("audit", "verify")

    assert (done.returncode, done.stdout) == (1, "bad: record 1 edited: record 1 was edited: its hash is not that in the tree\n")


def test_a_log_that_was_cut_is_found_by_a_checkpoint_kept_elsewhere(used, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    used("audit", "checkpoint", "--to", str(elsewhere))
    used("run", "-c", "print(4)")
    used("audit", "checkpoint", "--to", str(elsewhere))
    whole = used("audit", "verify", "--against", str(elsewhere))
    bend(used, "DELETE FROM records WHERE seq >= 2")
    bend(used, "DELETE FROM checkpoints")

    alone, against = used("audit", "verify"), used("audit", "verify", "--against", str(elsewhere), "--json")

    assert "4 checkpoints" in whole.stdout
    assert (alone.returncode, against.returncode, answer(against)["fault"]["kind"]) == (0, 1, "cut")


def test_a_record_is_proven_to_somebody_who_has_the_key_alone(used, stranger, tmp_path):
    proof = tmp_path / "proof.json"
    proof.write_text(used("audit", "prove", "1").stdout)
    key = used("audit", "keys").stdout.strip()
    done = stranger("audit", "check", str(proof), "--key", key)

    assert (done.returncode, done.stdout.startswith("proven: record 1 of 3 in windtunnel/")) == (0, True)


def test_a_proof_of_somebody_else_is_refused(used, stranger, tmp_path):
    proof = tmp_path / "proof.json"
    proof.write_text(used("audit", "prove", "1").stdout)

    done = stranger("audit", "check", str(proof))

    assert (done.returncode, "not signed by a key that is trusted here" in done.stderr) == (2, True)


def test_a_bent_proof_is_refused(used, tmp_path):
    proof = tmp_path / "proof.json"
    proof.write_text(used("audit", "prove", "1").stdout.replace("failed", "done"))

    done = used("audit", "check", str(proof))

    assert (done.returncode, "does not stand in the log" in done.stderr) == (2, True)


def test_keys_are_rotated_and_the_old_ones_stay_good(used, tmp_path):
    proof = tmp_path / "proof.json"
    proof.write_text(used("audit", "prove", "1").stdout)
    before = used("audit", "keys").stdout.split()

    after = used("audit", "keys", "--rotate").stdout.split()

    assert (after[:1], len(after), used("audit", "check", str(proof)).returncode) == (before, 2, 0)


def test_one_record_is_shown_by_the_id_of_its_run(used):
    run = answer(used("history", "--json"))[0]["id"]

    assert answer(used("audit", "show", run[:12]))["subject"] == run


def test_a_record_that_is_not_there_is_said(used):
    done = used("audit", "show", "nothing")

    assert (done.returncode, "there is no record 'nothing'" in done.stderr) == (2, True)


@pytest.mark.parametrize(("form", "lines"), [("jsonl", 3), ("csv", 4), ("cef", 3), ("syslog", 3), ("ocsf", 3)])
def test_the_log_is_exported(used, form, lines):
    assert len(used("audit", "export", "--format", form).stdout.splitlines()) == lines


def foreign(cli):
    state(cli).mkdir(parents=True)
    with contextlib.closing(sqlite3.connect(state(cli) / "audit.db")) as connection:
        connection.execute("CREATE TABLE theirs (x)")


@pytest.mark.parametrize(("words", "kind"), [
    (("run", "-c", "print(1)"), "run"), (("run", "--json", "-c", "print(1)"), "run"), (("history", "--prune", "--keep", "9"), "history prune"),
    (("run", "-c", " "), "run")])
def test_an_act_that_goes_on_without_its_record_says_so(cli, words, kind):
    foreign(cli)
    cli.env["WINDTUNNEL_AUDIT"] = "optional"

    done = cli(*words)

    assert [line.partition(": ")[0] for line in done.stderr.splitlines() if "not written down" in line] == [f"{kind} not written down"]


def test_following_the_log_is_interrupted_without_a_word_about_sandboxes(used):
    following = used.start("audit", "log", "--follow", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert following.stdout.readline()
    following.send_signal(signal.SIGINT)

    assert (following.communicate(timeout=60)[1], following.returncode) == (b"windtunnel: interrupted\n", 130)


def test_a_foreign_file_in_the_place_of_the_log_is_refused_and_stays(cli):
    state(cli).mkdir(parents=True, exist_ok=True)
    (state(cli) / "audit.db").write_bytes(b"something else entirely " * 100)

    done = cli("run", "-c", "print(1)")

    assert (done.returncode, done.stdout, (state(cli) / "audit.db").read_bytes()) == (125, "", b"something else entirely " * 100)


@pytest.mark.parametrize("text", ["yesterday", "1y", "2026-99-99", "99999999999d"])
def test_other_words_are_no_times(text):
    with pytest.raises(UsageError, match="is no time"):
        moment(text, field="--since")


def test_times_are_read_as_people_write_them():
    assert moment("2026-01-31", field="f") == "2026-01-31T00:00:00.000000+00:00"
    assert moment("2026-01-31T12:00+02:00", field="f") == "2026-01-31T10:00:00.000000+00:00"
    assert moment("", field="f") == ""
    assert moment("1h", field="f") > moment("2h", field="f")
