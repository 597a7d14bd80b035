"""``windtunnel audit seal|retain|hold|keys`` as a person starts it."""

import json
from pathlib import Path

import pytest

from windtunnel.core.audit import AuditEntry
from windtunnel.engine.audit import trail_in


@pytest.fixture
def used(cli):
    """A command line with twelve records behind it."""
    made = trail_in(state(cli))
    made.log.append_all([AuditEntry(kind="run", outcome="done", actor="bob" if number == 2 else "ann", id=f"act-{number}",
                                    details={"number": number, "text": "told"}) for number in range(12)])
    made.log.close()
    return cli


def state(cli):
    return Path(cli.env["WINDTUNNEL_STATE_DIR"])


def answer(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def segments(cli):
    return sorted(path.name for path in (state(cli) / "audit.segments").iterdir())


def test_records_are_sealed_and_that_is_told(used):
    done = used("audit", "seal", "--keep-live", "2")

    assert done.stdout.startswith("sealed: 10 records from 0 on, in 1 segments of ")
    assert done.stdout.endswith(", as record 12 says\n")
    assert (done.stderr, segments(used)) == ("sealed the records 0 to 9\n", ["0-9.wtseg"])


def test_sealed_records_are_shown_listed_proven_and_verified_as_before(used, tmp_path):
    before = [used("audit", "show", "act-3").stdout, used("audit", "export", "--actor", "bob").stdout]
    used("audit", "seal", "--keep-live", "2", "--encrypt")

    assert [used("audit", "show", "act-3").stdout, used("audit", "export", "--actor", "bob").stdout] == before
    assert [one["seq"] for one in answer(used("audit", "log", "--kind", "run", "-n", "11", "--json"))] == list(range(11, 0, -1))
    assert answer(used("audit", "verify", "--json"))["success"] is True
    proof = tmp_path / "proof.json"
    proof.write_text(used("audit", "prove", "3").stdout)
    assert answer(used("audit", "check", str(proof), "--json"))["record"]["seq"] == 3


def test_young_records_stay_where_they_are(used):
    assert used("audit", "seal").stdout == "nothing to seal\n"
    assert answer(used("audit", "seal", "--older", "1h", "--json")) == {
        "segments": [], "first": 0, "records": 0, "stored_bytes": 0, "record": -1, "more": False}


@pytest.mark.parametrize(("arguments", "word"), [
    (("seal", "--older", "soon"), "--older: 'soon' is not a span of time (try 12h, 30d or 8w)"),
    (("seal", "--keep-live", "-3"), "keep-live: -3 is not a number of records"),
    (("retain",), "--older: say how old records must be (try 400d), or set audit_retention"),
    (("hold", "release", "x", "--reason", "y"), "hold: there is no 'x' (in force: none)"),
    (("hold", "add", "x", "--reason", " "), "reason: say why; it is written down"),
    (("keys", "chain", "--encryption"), "chain: keys that encrypt vouch for nothing")])
def test_what_is_wrong_is_said(used, arguments, word):
    done = used("audit", *arguments)

    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"windtunnel: {word}\n")


def test_old_segments_are_removed_and_verify_says_so(used):
    used("audit", "seal", "--keep-live", "2")
    dry = used("audit", "retain", "--older", "0s", "--dry-run").stdout

    done = used("audit", "retain", "--older", "0s")

    hint = "records as old that were never sealed stay (windtunnel audit seal --older 0s)\n"
    assert (dry, done.stdout) == (f"to remove: 10 records (0 to 9)\n{hint}", f"removed: 10 records (0 to 9)\n{hint}")
    assert segments(used) == []
    assert "records 0 to 9 were removed by retention, as record 13 says\n" in used("audit", "verify").stdout
    assert answer(used("audit", "verify", "--json"))["removed"] == ["records 0 to 9 were removed by retention, as record 13 says"]


def test_what_the_settings_keep_is_not_removed(used):
    used("audit", "seal", "--keep-live", "2")
    used.env["WINDTUNNEL_AUDIT_RETENTION"] = "400d"

    done = used("audit", "retain", "--older", "0s")

    assert (done.returncode, "older: 0s is less than the 400d" in done.stderr, segments(used)) == (2, True, ["0-9.wtseg"])


def test_a_hold_is_laid_listed_heeded_and_released(used):
    used("audit", "seal", "--keep-live", "2")
    assert used("audit", "hold", "add", "case-7", "--reason", "a court asks", "--actor", "bob").stdout == "held: case-7, as record 13 says\n"
    head, row = used("audit", "hold", "list").stdout.splitlines()
    assert (head.split("  ")[0], row.split()[0], "actor bob" in row, row.endswith("a court asks")) == ("name", "case-7", True, True)
    assert used("audit", "retain", "--older", "0s").stdout .startswith("held: records 0 to 9, by case-7\nremoved: nothing\n")
    refused = used("audit", "redact", "2", "--detail", "text", "--reason", "why", "--json")
    assert (refused.returncode, json.loads(refused.stdout)["error"]) == (
        2, {"code": "held", "message": "record 2 is held by 'case-7': a court asks"})

    done = used("audit", "hold", "release", "case-7", "--reason", "over")

    assert done.stdout == "released: case-7, as record 14 says\n"
    assert (answer(used("audit", "hold", "list", "--json")), answer(used("audit", "retain", "--older", "0s", "--json"))["records"]) == ([], 10)


def test_holds_are_told_as_json(used):
    used("audit", "hold", "add", "x", "--reason", "why", "--project", "/p", "--until", "2026-01-31")

    (found,) = answer(used("audit", "hold", "list", "--json"))

    assert (found["name"], found["reason"], found["query"]) == (
        "x", "why", {"project": "/p", "until": "2026-01-31T00:00:00.000000+00:00"})


def test_a_sealed_record_is_redacted(used):
    used("audit", "seal", "--keep-live", "2", "--encrypt")

    used("audit", "redact", "3", "--detail", "text", "--reason", "why")

    shown = answer(used("audit", "show", "3"))
    assert (shown["details"], shown["redacted"], used("audit", "verify").returncode) == ({"number": 3}, ["text"], 0)


def test_encryption_keys_are_rotated_and_what_the_old_one_encrypted_is_read(used):
    used("audit", "seal", "--keep-live", "6", "--encrypt")
    before = used("audit", "keys", "--encryption").stdout.split()

    after = used("audit", "keys", "rotate", "--encryption").stdout.split()
    used("audit", "seal", "--keep-live", "2")

    assert (len(before), after[:1], len(after)) == (1, before, 2)
    assert used("audit", "verify").returncode == 0


def test_a_missing_encryption_key_is_named(used):
    used("audit", "seal", "--keep-live", "2", "--encrypt")
    (identity,) = used("audit", "keys", "--encryption").stdout.split()
    for path in (state(used) / "keys").glob("encryption-*"):
        path.unlink()

    done = used("audit", "show", "3", "--json")

    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["code"], identity in error["message"]) == (125, "key-missing", True)


def test_who_has_the_first_key_follows_the_chain_to_the_one_that_signed(used, tmp_path):
    (first,) = used("audit", "keys").stdout.split()
    used("audit", "keys", "rotate")
    chain, proof = tmp_path / "chain", tmp_path / "proof.json"
    chain.write_text(used("audit", "keys", "chain").stdout)
    proof.write_text(used("audit", "prove", "3").stdout)

    assert used("audit", "check", str(proof), "--key", first).returncode == 2
    assert used("audit", "check", str(proof), "--key", first, "--key", str(chain)).returncode == 0


def test_a_copy_without_the_keys_is_verified_by_a_public_key(used):
    used("audit", "seal", "--keep-live", "2")
    (word,) = used("audit", "keys").stdout.split()
    (state(used) / "keys").rename(state(used) / "away")

    assert "bad: record 0 foreign" in used("audit", "verify").stdout
    assert used("audit", "verify", "--key", word).stdout.startswith("whole: 13 records")


def test_a_damaged_segment_is_named(used):
    used("audit", "seal", "--keep-live", "2")
    path = state(used) / "audit.segments" / "0-9.wtseg"
    path.write_bytes(path.read_bytes()[:-10])

    done = used("audit", "verify")

    assert (done.returncode, done.stdout) == (1, "bad: record 0 cut: the segment 0-9.wtseg is cut off, or was changed at its end\n")
    assert used("audit", "log", "-n", "3", "--json").returncode == 0
