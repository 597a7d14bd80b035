"""An evidence pack in the hands of somebody who has it, a public key, and nothing else."""

import base64
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import zipfile

import pytest
from audit_trails import act, run, trail_in, work, worked
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.core.trial import SandboxResult
from windtunnel.engine.receipt import sign_receipt
from windtunnel.engine.report import check as audit_report_check
from windtunnel.engine.report import pack as audit_report_pack
from windtunnel.engine.report.check import check_pack
from windtunnel.engine.report.files import is_pack
from windtunnel.engine.report.pack import MANIFEST, make_pack
from windtunnel.engine.report.summary import Wanted
from windtunnel.store.audit.envelope import seal, unseal

ALL = Wanted(until="9999")


@pytest.fixture(scope="module")
def trail(tmp_path_factory):
    made = worked(tmp_path_factory.mktemp("state") / "state")
    made.checkpoint()
    yield made
    made.log.close()


@pytest.fixture(scope="module")
def folder(trail, tmp_path_factory):
    """A pack of one actor's records, so that it holds whole ones and headers."""
    target = tmp_path_factory.mktemp("packs") / "pack"
    make_pack(trail, Wanted(until="9999", actor="ann"), target, actor="ann")
    return target


@pytest.fixture(scope="module")
def archive(trail, tmp_path_factory):
    target = tmp_path_factory.mktemp("packs") / "pack.zip"
    make_pack(trail, ALL, target, actor="ann")
    return target


@pytest.fixture
def copy(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


def keys(trail):
    return trail.keys.public()


def flip(path, place, bit):
    data = bytearray(path.read_bytes())
    data[place % len(data)] ^= 1 << bit
    path.write_bytes(data)


def signed_anew(trail, pack):
    """What an owner of the key can do: change files and sign them again."""
    text = (pack / MANIFEST).read_text()
    statement = json.loads(unseal(text, keys(trail))[0])
    names = sorted(path.relative_to(pack).as_posix() for path in pack.rglob("*") if path.is_file() and path.name != MANIFEST)
    import hashlib
    datas = {name: (pack / name).read_bytes() for name in names}
    statement["subject"] = [{"name": name, "digest": {"sha256": hashlib.sha256(datas[name]).hexdigest()}} for name in names]
    statement["predicate"]["sizes"] = {name: len(datas[name]) for name in names}
    (pack / MANIFEST).write_text(seal(json.dumps(statement).encode(), trail.keys.current()))
    return pack


def edit(path, change):
    path.write_text(change(path.read_text()))


def test_a_pack_is_proven_by_a_key_alone(trail, folder, archive):
    found = [check_pack(path, keys(trail)) for path in (folder, archive)]

    assert [(one.signer, one.files, one.report["only"]["actor"], one.not_checked) for one in found] == [
        (str(keys(trail)[0]), 9, "ann", ()), (str(keys(trail)[0]), 9, "", ())]


def test_a_pack_of_somebody_else_is_refused(folder, tmp_path):
    stranger = trail_in(tmp_path / "stranger")
    stranger.checkpoint()

    with pytest.raises(UsageError, match=r"pack: MANIFEST.json: not signed by a key that is trusted here \(signed by windtunnel/test"):
        check_pack(folder, stranger.keys.public())


@settings(deadline=None, max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_byte_that_was_changed_in_a_folder_is_found(trail, folder, data):
    name = data.draw(st.sampled_from(sorted(path.name for path in folder.iterdir())))
    path = folder / name
    place, bit = data.draw(st.integers(0, path.stat().st_size - 1)), data.draw(st.integers(0, 7))
    flip(path, place, bit)
    try:
        with pytest.raises(UsageError, match="pack: "):
            check_pack(folder, keys(trail))
    finally:
        flip(path, place, bit)


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 2**32), bit=st.integers(0, 7))
def test_any_byte_that_was_changed_in_an_archive_is_found(trail, archive, place, bit):
    flip(archive, place, bit)
    try:
        with pytest.raises(UsageError, match="pack: "):
            check_pack(archive, keys(trail))
    finally:
        flip(archive, place, bit)


def test_without_its_seal_a_change_in_an_archive_can_stay_unseen(trail, archive, monkeypatch, tmp_path):
    bent = tmp_path / "bent.zip"
    shutil.copy(archive, bent)
    with zipfile.ZipFile(archive) as opened:
        at = opened.start_dir + 12  # the time of day of the first file, in the list at the end
    flip(bent, at, 0)
    with pytest.raises(UsageError, match="not as it was written"):
        check_pack(bent, keys(trail))
    monkeypatch.setattr("windtunnel.engine.report.files._check_seal", lambda file: file.seek(0))

    assert check_pack(bent, keys(trail)).files == 9


def test_an_archive_that_was_packed_anew_is_checked_as_a_folder(trail, archive, tmp_path):
    with zipfile.ZipFile(archive) as opened:
        opened.extractall(tmp_path / "unpacked")

    assert check_pack(tmp_path / "unpacked", keys(trail)).files == 9


@pytest.mark.parametrize("cut", [0, 1, 100, 5000])
def test_an_archive_that_was_cut_short_is_refused(trail, archive, tmp_path, cut):
    (tmp_path / "cut.zip").write_bytes(archive.read_bytes()[:cut])

    with pytest.raises(UsageError, match="pack: "):
        check_pack(tmp_path / "cut.zip", keys(trail))


@pytest.mark.parametrize(("name", "why"), [
    ("more.json", "more.json is not in the manifest"), ("run.sh", "'run.sh' is no file of a pack"), (".hidden.json", "no file of a pack")])
def test_a_file_that_was_added_is_found(trail, copy, name, why):
    (copy / name).write_text("x")

    with pytest.raises(UsageError, match=why):
        check_pack(copy, keys(trail))


@pytest.mark.parametrize(("name", "why"), [(MANIFEST, "there is no MANIFEST.json"), ("keys.txt", "keys.txt is missing")])
def test_a_file_that_was_taken_away_is_found(trail, copy, name, why):
    (copy / name).unlink()

    with pytest.raises(UsageError, match=why):
        check_pack(copy, keys(trail))


def test_a_link_is_not_followed(trail, copy, tmp_path):
    shutil.move(copy / "keys.txt", tmp_path / "keys.txt")
    (copy / "keys.txt").symlink_to(tmp_path / "keys.txt")

    with pytest.raises(UsageError, match="is no plain file"):
        check_pack(copy, keys(trail))


def test_a_named_pipe_holds_nobody_up(trail, copy):
    (copy / "keys.txt").unlink()
    os.mkfifo(copy / "keys.txt")

    with pytest.raises(UsageError, match="is no plain file"):
        check_pack(copy, keys(trail))


def killed_in_the_middle(target):
    """A process that was writing a pack, and was killed."""
    code = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from windtunnel.engine.report.files import spooled, writing\n"
        "target = Path(sys.argv[1])\n"
        "with writing(target) as writer, spooled(target) as spool, writer.open('records.jsonl') as file:\n"
        "    file.write(b'x' * 100_000), spool.write(b'x' * 100_000), file.flush(), spool.flush()\n"
        "    print('writing', flush=True)\n"
        "    threading.Event().wait(120)\n")
    with subprocess.Popen([sys.executable, "-c", code, str(target)], stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout.readline() == "writing\n"
        os.kill(writer.pid, signal.SIGKILL)


def test_a_kill_in_the_middle_leaves_nothing_of_an_archive(tmp_path):
    killed_in_the_middle(tmp_path / "pack.zip")

    assert list(tmp_path.iterdir()) == []


def test_a_kill_in_the_middle_leaves_no_folder_that_passes_for_a_pack(trail, tmp_path):
    killed_in_the_middle(tmp_path / "pack")

    with pytest.raises(UsageError, match=r"there is no MANIFEST.json in it"):
        check_pack(tmp_path / "pack", keys(trail))


# What follows are lies of somebody who owns the key, and signs the pack anew.


@pytest.mark.parametrize("number", range(5))
def test_a_record_that_was_left_out_is_found_though_all_is_signed_anew(trail, copy, number):
    lines = (copy / "evidence.jsonl").read_text().splitlines(keepends=True)
    gone = random.Random(number).randrange(len(lines))
    (copy / "evidence.jsonl").write_text("".join(lines[:gone] + lines[gone + 1:]))
    seq = json.loads(json.loads(lines[gone])["header"])["seq"]
    edit(copy / "records.jsonl", lambda text: "".join(
        line for line in text.splitlines(keepends=True) if json.loads(line)["seq"] != seq))

    with pytest.raises(UsageError, match="evidence: "):
        check_pack(signed_anew(trail, copy), keys(trail))


def test_a_record_left_out_at_the_edge_with_a_fitting_proof_is_found(tmp_path):
    trail = trail_in(tmp_path / "state")
    for number in range(6):
        trail.log.append(run(number))
    times = [trail.log.get(seq).time for seq in range(6)]
    wanted = Wanted(since=times[2], until="9999")
    pack = make_pack(trail, Wanted(since=times[3], until="9999"), tmp_path / "pack", actor="ann").path
    report = json.loads((pack / "report.json").read_text())
    report["span"]["from"] = wanted.since
    (pack / "report.json").write_text(json.dumps(report))

    with pytest.raises(UsageError, match=r"record 2 at the edge belongs into the span"):
        check_pack(signed_anew(trail, pack), keys(trail))


def test_a_record_of_the_actor_that_was_made_a_header_is_found(trail, copy):
    def hidden(text):
        lines = text.splitlines(keepends=True)
        told = json.loads(lines[0])
        return "".join([json.dumps({"header": told["header"]}) + "\n", *lines[1:]])

    edit(copy / "evidence.jsonl", hidden)

    with pytest.raises(UsageError, match="record 0 was asked for, and its details are not here"):
        check_pack(signed_anew(trail, copy), keys(trail))


def test_a_readable_copy_that_says_something_else_is_found(trail, copy):
    edit(copy / "records.jsonl", lambda text: text.replace('"done"', '"good"', 1))

    with pytest.raises(UsageError, match=r"records.jsonl does not say what record \d+ says"):
        check_pack(signed_anew(trail, copy), keys(trail))


def test_a_record_that_was_added_to_the_readable_copy_is_found(trail, copy):
    edit(copy / "records.jsonl", lambda text: text + text.splitlines(keepends=True)[0])

    with pytest.raises(UsageError, match=r"records.jsonl holds more than the records"):
        check_pack(signed_anew(trail, copy), keys(trail))


def test_a_report_that_says_something_else_is_found(trail, copy):
    edit(copy / "report.json", lambda text: text.replace('"approver": "bob"', '"approver": "eve"'))

    with pytest.raises(UsageError, match="the report does not say what the records say"):
        check_pack(signed_anew(trail, copy), keys(trail))


def test_a_page_that_says_something_else_is_found(trail, copy):
    edit(copy / "index.html", lambda text: text.replace("Audit report", "Audit Report"))

    with pytest.raises(UsageError, match="the page does not say what the report says"):
        check_pack(signed_anew(trail, copy), keys(trail))


def test_a_page_of_another_version_is_not_held_against_this_one_and_that_is_said(trail, copy):
    edit(copy / "report.json", lambda text: text.replace('"windtunnel": "', '"windtunnel": "0.0.0.'))

    found = check_pack(signed_anew(trail, copy), keys(trail))

    assert [line.split(":")[0] for line in found.not_checked] == ["whether report and page say what the records say"]


def test_a_report_about_another_log_is_found(trail, copy):
    edit(copy / "report.json", lambda text: text.replace(trail.log.head(json.loads(text)["log"]["size"])[1].hex(), "00" * 32))

    with pytest.raises(UsageError, match="about another log than the checkpoint"):
        check_pack(signed_anew(trail, copy), keys(trail))


@pytest.mark.parametrize("text", ["{}", "[]", "null", '{"span": 3}'])
def test_a_signed_pack_of_another_form_is_refused(trail, copy, text):
    (copy / "report.json").write_text(text)

    with pytest.raises(UsageError, match="pack: signed, but not a pack of the form"):
        check_pack(signed_anew(trail, copy), keys(trail))


def test_a_manifest_written_in_another_way_is_refused(trail, copy):
    edit(copy / MANIFEST, lambda text: json.dumps(json.loads(text), indent=2))

    with pytest.raises(UsageError, match=r"MANIFEST.json is not as it was written"):
        check_pack(copy, keys(trail))


def test_a_receipt_of_a_trial_cannot_pass_for_a_manifest(trail, copy):
    (copy / MANIFEST).write_text(sign_receipt(SandboxResult(verdict="good"), trail.keys.current()))

    with pytest.raises(UsageError, match=r"MANIFEST.json is not the manifest of a pack"):
        check_pack(copy, keys(trail))


def test_a_file_that_is_longer_than_it_was_is_not_read_to_its_end(trail, copy):
    with (copy / "records.jsonl").open("ab") as file:
        file.truncate(50 * 1024**3)

    with pytest.raises(UsageError, match=r"records.jsonl was changed"):
        check_pack(copy, keys(trail))


# Checkpoints that the reader has from elsewhere.


def test_a_pack_agrees_with_an_older_checkpoint_of_the_reader(tmp_path):
    trail = worked(tmp_path / "state")
    note = trail.checkpoint()
    trail.log.append_all(work())
    pack = make_pack(trail, ALL, tmp_path / "pack", actor="ann").path

    assert check_pack(pack, keys(trail), against=[note]).agrees == 1


def test_a_log_that_was_rewritten_is_found_by_the_readers_checkpoint(tmp_path):
    trail = worked(tmp_path / "state")
    note = trail.checkpoint()
    other = trail_in(tmp_path / "other")
    shutil.copytree(trail.keys.folder, other.keys.folder)
    other.log.append_all([act(), *work(), *work()])
    for size in (12, other.log.size):
        from windtunnel.store.audit.checkpoint import Checkpoint
        other.log.keep_checkpoint(size, Checkpoint(origin="windtunnel/test", size=size, root=other.log.head(size)[1], time="2026").signed(
            other.keys.current()))
    pack = make_pack(other, ALL, tmp_path / "pack", actor="ann").path

    with pytest.raises(UsageError, match="it is about another log than your checkpoint of 12 records"):
        check_pack(pack, keys(trail), against=[note])


def test_a_checkpoint_that_the_pack_cannot_be_held_against_is_said(tmp_path):
    trail = worked(tmp_path / "state")
    pack = make_pack(trail, ALL, tmp_path / "pack", actor="ann").path
    trail.log.append_all(work())

    found = check_pack(pack, keys(trail), against=[trail.checkpoint()])

    assert (found.agrees, found.not_checked) == (0, ("a checkpoint of 24 records: it is later than the pack",))


# Receipts.


def receipt(trail, verdict="good", id_="7a" * 16):
    return sign_receipt(SandboxResult(id=id_, verdict=verdict), trail.keys.current())


def test_a_receipt_of_a_trial_of_the_span_is_put_into_the_pack(tmp_path):
    trail = worked(tmp_path / "state")

    make_pack(trail, ALL, tmp_path / "pack", actor="ann", receipts=[receipt(trail)])

    found = check_pack(tmp_path / "pack", keys(trail))
    assert [(one["trial"], one["verdict"]) for one in found.report["receipts"]] == [("7a" * 16, "good")]
    assert found.files == 10


@pytest.mark.parametrize(("verdict", "id_"), [("not good", "7a" * 16), ("good", "99" * 16)])
def test_a_receipt_that_the_records_do_not_know_is_refused(verdict, id_, tmp_path):
    trail = worked(tmp_path / "state")

    with pytest.raises(UsageError, match=r"receipt: trial .*: (the record says 'good'|no record of the report is about its trial)"):
        make_pack(trail, ALL, tmp_path / "pack", actor="ann", receipts=[receipt(trail, verdict, id_)])


def test_only_archives_and_folders_look_like_packs(archive, folder, tmp_path):
    (tmp_path / "proof.json").write_text("{}")

    assert [is_pack(path) for path in (archive, folder, tmp_path / "proof.json", tmp_path / "none")] == [True, True, False, False]


def test_the_checker_and_the_maker_name_the_same_files(folder):
    listed = {getattr(audit_report_pack, name) for name in ("MANIFEST", "REPORT", "PAGE", "RECORDS", "EVIDENCE", "PROOF", "NOTE", "NOTES", "KEYS")}

    assert {path.name for path in folder.iterdir()} == listed
    assert audit_report_check.pack is audit_report_pack
    assert base64.b64decode(json.loads((folder / MANIFEST).read_text())["payload"]).startswith(b'{"_type":')
