"""``windtunnel audit report``, ``check`` of a pack, ``checkpoint --to`` and ``verify --against``, as a person starts them."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def two_runs(command_line, tmp_path_factory):
    """The state that two runs leave."""
    made = command_line(tmp_path_factory.mktemp("reported"))
    for code in ("print(1)", "raise SystemExit(2)"):
        made("run", "-c", code)
    return state(made)


@pytest.fixture
def used(cli, two_runs):
    shutil.copytree(two_runs, state(cli))
    return cli


@pytest.fixture
def stranger(command_line, tmp_path):
    (tmp_path / "stranger").mkdir()
    return command_line(tmp_path / "stranger")


def state(cli):
    return Path(cli.env["WINDTUNNEL_STATE_DIR"])


def answer(done):
    return json.loads(done.stdout)


def key_of(cli):
    return cli("audit", "keys").stdout.split()[-1]


@pytest.mark.parametrize("name", ["pack", "pack.zip"])
def test_a_report_is_made_and_checked_by_a_stranger_who_has_the_key(used, stranger, tmp_path, name):
    made = used("audit", "report", "--from", "1h", "--out", str(tmp_path / name))
    done = stranger("audit", "check", str(tmp_path / name), "--key", key_of(used))

    assert (made.returncode, made.stdout.splitlines()[0]) == (0, f"{tmp_path / name}: 2 records; the log is whole")
    assert (done.returncode, done.stdout.startswith("proven: 2 records of windtunnel/")) == (0, True)
    assert "cannot be shown: " in done.stdout


def test_a_report_is_told_as_json(used, tmp_path):
    made = answer(used("audit", "report", "--actor", "nobody", "--out", str(tmp_path / "pack.zip"), "--json"))
    checked = answer(used("audit", "check", str(tmp_path / "pack.zip"), "--json"))

    assert (made["success"], made["records"], made["pack"]) == (True, 0, str(tmp_path / "pack.zip"))
    assert (checked["success"], checked["records"], checked["only"]["actor"], checked["log"]) == (True, 0, "nobody", made["log"])


def test_a_stranger_without_the_key_is_not_convinced(used, stranger, tmp_path):
    used("audit", "report", "--out", str(tmp_path / "pack"))

    done = stranger("audit", "check", str(tmp_path / "pack"))

    assert (done.returncode, "not signed by a key that is trusted here" in done.stderr) == (2, True)


def test_a_proof_is_not_held_against_checkpoints(used, tmp_path):
    (tmp_path / "proof.json").write_text(used("audit", "prove", "1").stdout)

    done = used("audit", "check", str(tmp_path / "proof.json"), "--against", str(tmp_path / "proof.json"))

    assert (done.returncode, "a pack and a proof of growth are held against others" in done.stderr) == (2, True)


def test_an_empty_log_has_a_report(cli, tmp_path):
    cli("audit", "report", "--out", str(tmp_path / "pack"))

    done = cli("audit", "check", str(tmp_path / "pack"))

    assert (done.returncode, "none left out of no records" in done.stdout) == (0, True)


def test_a_bent_pack_is_refused(used, tmp_path):
    used("audit", "report", "--out", str(tmp_path / "pack"))
    page = tmp_path / "pack" / "index.html"
    page.write_text(page.read_text().replace("Audit report", "Audit  report"))

    done = used("audit", "check", str(tmp_path / "pack"))

    assert (done.returncode, "index.html was changed" in done.stderr) == (2, True)


@pytest.mark.parametrize(("arguments", "why"), [
    (("--from", "soon"), "--from: 'soon' is no time"), (("--from", "2030-01-01", "--to", "2029-01-01"), "is not before --to"),
    (("--out", "/none/such/pack.zip"), "--out: /none/such: No such file"),
    (("--receipt", "/none"), "/none: cannot be read")])
def test_what_is_wrong_with_a_request_is_said(used, arguments, why, tmp_path):
    out = () if "--out" in arguments else ("--out", str(tmp_path / "pack.zip"))

    done = used("audit", "report", *arguments, *out)

    assert (done.returncode, why in done.stderr) == (2, True), done.stderr


def test_a_log_that_is_not_whole_is_said(used, tmp_path):
    connection = sqlite3.connect(state(used) / "audit.db", isolation_level=None)
    connection.execute("UPDATE records SET header = replace(header, 'failed', 'done') WHERE seq = 1")
    connection.close()

    done = used("audit", "report", "--out", str(tmp_path / "pack.zip"))

    assert (done.returncode, "the log is not whole, so there is nothing to show: record 1 was edited" in done.stderr) == (125, True)
    assert not (tmp_path / "pack.zip").exists()


def test_a_checkpoint_is_sent_to_several_places_and_the_log_held_against_them(used, tmp_path):
    import subprocess

    subprocess.run(["git", "init", "--quiet", "--bare", str(tmp_path / "notes.git")], check=True, timeout=60)
    git, folder, file = f"git:{tmp_path}/notes.git", tmp_path / "notes", tmp_path / "note.txt"
    sent = used("audit", "checkpoint", "--to", git, "--to", f"file:{folder}", "--to", str(file), "--json")
    whole = used("audit", "verify", "--against", git, "--against", str(folder), "--against", str(file))

    assert [(one["success"], one["to"]) for one in answer(sent)["sent"]] == [(True, f"{git}#windtunnel-checkpoints"), (True, f"file:{folder}")]
    assert (whole.returncode, whole.stdout.splitlines()[1].startswith("kept elsewhere: 3 checkpoints, the newest of 2 records, at ")) == (0, True)


def test_a_log_that_was_cut_is_found_by_a_folder_of_notes(used, tmp_path):
    used("audit", "checkpoint", "--to", f"file:{tmp_path}/notes")
    connection = sqlite3.connect(state(used) / "audit.db", isolation_level=None)
    connection.execute("DELETE FROM records WHERE seq >= 1")
    connection.execute("DELETE FROM checkpoints")
    connection.close()

    alone, against = used("audit", "verify"), used("audit", "verify", "--against", str(tmp_path / "notes"), "--json")

    assert (alone.returncode, against.returncode, answer(against)["fault"]["kind"]) == (0, 1, "cut")


def test_a_sending_that_fails_is_said_and_written_down(used):
    done = used("audit", "checkpoint", "--to", "http://127.0.0.1:1/")

    assert (done.returncode, done.stderr) == (
        1, "not sent to http://127.0.0.1:1/: http://127.0.0.1:1/: [Errno 111] Connection refused\n")
    assert [one["outcome"] for one in answer(used("audit", "log", "--kind", "checkpoint", "--json"))] == ["failed"]


def test_a_place_that_is_none_is_refused_before_anything_is_signed(used):
    done = used("audit", "checkpoint", "--to", "http://example.org/")

    assert (done.returncode, done.stdout, "in the clear" in done.stderr) == (2, "", True)


def test_a_folder_without_notes_is_refused(used, tmp_path):
    (tmp_path / "empty").mkdir()

    done = used("audit", "verify", "--against", str(tmp_path / "empty"))

    assert (done.returncode, "there is no checkpoint in it" in done.stderr) == (2, True)


def test_notes_of_another_log_are_refused(used, stranger, tmp_path):
    stranger("run", "-c", "print(1)")
    stranger("audit", "checkpoint", "--to", f"file:{tmp_path}/notes")

    done = used("audit", "verify", "--against", str(tmp_path / "notes"))

    assert (done.returncode, "not signed by a key that is trusted here" in done.stderr) == (2, True)
