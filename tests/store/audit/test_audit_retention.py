"""What is old goes, what is held stays, and the log says so itself."""

import hashlib
import threading

import pytest
from entries import bend, entry, filled
from sealed_logs import everything, ring_of, sealed_log, sealed_upto

from windtunnel.core.audit import AuditEntry, AuditQuery
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit.blobs import content, keep
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.encryption import KeyMissing
from windtunnel.store.audit.hold import Held, add_hold, holds, release_hold
from windtunnel.store.audit.keeping_state import described
from windtunnel.store.audit.opening import open_log
from windtunnel.store.audit.proof import check_proof, prove
from windtunnel.store.audit.redaction import redact
from windtunnel.store.audit.retention import HeldSegment, Retention, drop_unspoken, retain
from windtunnel.store.audit.verify import verify

EVER = "9999"


def held(log, name="case-7", **query):
    return add_hold(log, name, AuditQuery(**query), reason="a court asks", actor="ann")


def test_segments_whose_newest_record_is_old_are_removed(file_log):
    sealed_log(file_log)

    made = retain(file_log, before=file_log.get(19).time, actor="ann")

    assert made == Retention(removed=((0, 9),), records=10, record=32, unsealed=False)
    assert [path.name for path in file_log.segments.folder.iterdir()] == ["10-19.wtseg"]
    assert [record.seq for record in everything(file_log)] == list(range(10, 33))
    assert file_log.get(3) is None


def test_a_record_says_what_was_removed_and_by_whom(file_log):
    sealed_log(file_log)

    made = retain(file_log, before=EVER, actor="ann")

    record = file_log.get(made.record)
    assert (record.entry.kind, record.entry.actor, record.entry.subject) == ("retain", "ann", "audit-keeping/0-19")
    assert record.entry.details == {"before": EVER, "ranges": [[0, 19]], "held": [],
                                    "state": {"sealed": 20, "removed": [[0, 19]], "holds": []}}


def test_verify_tells_what_was_removed_as_neither_error_nor_silence(file_log):
    sealed_log(file_log)
    retain(file_log, before=EVER, actor="ann")

    found = verify(file_log)

    assert (found.success, found.removed) == (True, ("records 0 to 19 were removed by retention, as record 32 says",))


def test_the_statement_is_carried_on_when_the_record_that_made_it_is_removed_too(file_log):
    sealed_log(file_log)
    retain(file_log, before=EVER, actor="ann")
    filled(file_log, 10)
    sealed_upto(file_log, 40)
    retain(file_log, before=EVER, actor="ann")

    found = verify(file_log)

    assert (found.success, found.removed, file_log.get(32)) == (
        True, ("records 0 to 39 were removed by retention, as record 44 says",), None)


def test_proofs_and_checkpoints_of_what_remains_still_hold(file_log):
    filled(file_log, 30)
    size, root = file_log.head()
    key = ring_of(file_log).current()
    note = Checkpoint(origin=key.name, size=size, root=root).signed(key)
    before = prove(file_log, 25, note=note, size=size)
    sealed_upto(file_log, 20)
    retain(file_log, before=EVER, actor="ann")

    assert prove(file_log, 25, note=note, size=size) == before
    assert check_proof(before, [key.public])[0].seq == 25
    assert verify(file_log, [Checkpoint(origin="o", size=size, root=root)]).success


@pytest.mark.parametrize("statement", [
    "UPDATE records SET leaf = zeroblob(32) WHERE seq = 3", "UPDATE records SET nodes = x'00' WHERE seq = 3",
    "DELETE FROM records WHERE seq = 3", "UPDATE records SET leaf = (SELECT leaf FROM records WHERE seq = 4) WHERE seq = 3"])
def test_a_hash_that_is_left_of_a_removed_record_cannot_be_changed_unseen(file_log, statement):
    sealed_log(file_log)
    retain(file_log, before=EVER, actor="ann")
    bend(file_log, (statement,))

    assert verify(file_log).success is False


def test_removing_a_segment_and_saying_so_in_an_edited_record_is_found(file_log):
    sealed_log(file_log)
    (file_log.segments.folder / "0-9.wtseg").unlink()
    bend(file_log, ("UPDATE records SET details = CAST(replace(CAST(details AS TEXT), ?, ?) AS BLOB) WHERE seq = 31",
                    ('"removed":[]', '"removed":[[0,9]]')))

    assert verify(file_log).success is False


def test_a_dry_run_says_the_same_and_removes_nothing(file_log):
    sealed_log(file_log)
    held(file_log, since=file_log.get(12).time, until=file_log.get(13).time)

    made = retain(file_log, before=EVER, actor="ann", dry_run=True)

    assert made == Retention(removed=((0, 9),), records=10, held=(HeldSegment(first=10, last=19, hold="case-7"),), unsealed=True)
    assert (len(file_log.segments.spans()), file_log.size) == (2, 33)


def test_what_is_encrypted_is_removed_without_its_key_unless_a_hold_must_look_into_it(file_log):
    sealed_log(file_log, encrypt=True)
    held(file_log, actor="bob")
    for path in file_log.segments.encryption.folder.glob("encryption-*"):
        path.unlink()
    file_log.segments.close()

    with pytest.raises(KeyMissing):
        retain(file_log, before=EVER, actor="ann")
    release_hold(file_log, "case-7", reason="over", actor="ann")
    assert retain(file_log, before=EVER, actor="ann").records == 20


def test_nothing_sealed_is_nothing_to_remove(file_log):
    filled(file_log, 5)

    assert (retain(file_log, before=EVER, actor="ann"), file_log.size) == (Retention(unsealed=True), 5)


# --- holds ---


def test_a_segment_with_a_held_record_stays_until_the_hold_is_released(file_log):
    file_log.append_all([entry(number, actor="bob" if number == 12 else "ann") for number in range(30)])
    sealed_upto(file_log, 10)
    sealed_upto(file_log, 20)
    held(file_log, actor="bob")

    made = retain(file_log, before=EVER, actor="ann")

    assert (made.removed, made.held) == (((0, 9),), (HeldSegment(first=10, last=19, hold="case-7"),))
    assert verify(file_log).success
    release_hold(file_log, "case-7", reason="over", actor="eve")
    assert retain(file_log, before=EVER, actor="ann").removed == ((10, 19),)


def test_a_hold_without_a_narrower_word_covers_everything(file_log):
    sealed_log(file_log)
    held(file_log)

    assert (retain(file_log, before=EVER, actor="ann").removed, described(holds(file_log)[0])) == ((), "everything")


@pytest.mark.parametrize("sealed", [False, True])
def test_a_held_record_cannot_be_redacted(file_log, sealed):
    """The control is in the redaction after the release."""
    filled(file_log, 10)
    if sealed:
        sealed_upto(file_log, 5)
    held(file_log, text="entry 3")

    with pytest.raises(Held, match="record 3 is held by 'case-7': a court asks") as found:
        redact(file_log, 3, ["text"], actor="ann", reason="why")

    assert (found.value.code, found.value.hold, file_log.get(3).redacted) == ("held", "case-7", ())
    redact(file_log, 4, ["text"], actor="ann", reason="why")
    release_hold(file_log, "case-7", reason="over", actor="ann")
    redact(file_log, 3, ["text"], actor="ann", reason="why")
    assert (file_log.get(3).redacted, file_log.get(4).redacted) == (("text",), ("text",))


def test_holds_are_durable_and_each_has_a_record_of_its_own(log):
    filled(log, 3)
    held(log, "one", actor="bob", project="/p")
    held(log, "two", since="2026-01-01T00:00:00.000000+00:00")
    release_hold(log, "one", reason="over", actor="eve")

    told = [(record.entry.actor, record.entry.details["act"], record.entry.details["hold"], record.entry.details["reason"])
            for record in everything(log, kind="hold")]
    assert told == [("ann", "add", "one", "a court asks"), ("ann", "add", "two", "a court asks"), ("eve", "release", "one", "over")]
    assert [(hold.name, hold.actor, described(hold)) for hold in holds(log)] == [
        ("two", "ann", "since 2026-01-01T00:00:00.000000+00:00")]


def test_holds_go_on_when_their_record_was_sealed_and_removed(file_log):
    filled(file_log, 5)
    held(file_log, actor="bob")
    filled(file_log, 5)
    sealed_upto(file_log, 8)
    retain(file_log, before=EVER, actor="ann")

    assert (file_log.get(5), [hold.name for hold in holds(file_log)]) == (None, ["case-7"])


def test_a_record_that_only_looks_like_one_about_keeping_says_nothing(file_log):
    filled(file_log, 3)
    held(file_log)
    file_log.append(AuditEntry(kind="run", outcome="done", actor="mallory", subject="audit-keeping/x",
                               details={"state": {"sealed": 0, "removed": [[0, 9]], "holds": []}}))

    assert [hold.name for hold in holds(file_log)] == ["case-7"]


@pytest.mark.parametrize("name", ["", " ", "a b", "../x", "x" * 101, "-x", "a\nb"])
def test_a_name_that_is_none_is_refused(file_log, name):
    with pytest.raises(UsageError, match="is not a name"):
        held(file_log, name)


def test_a_hold_is_laid_once_released_once_and_never_without_a_reason(file_log):
    held(file_log)

    with pytest.raises(UsageError, match="'case-7' is in force already"):
        held(file_log)
    with pytest.raises(UsageError, match=r"there is no 'other' .in force: case-7"):
        release_hold(file_log, "other", reason="over", actor="ann")
    with pytest.raises(UsageError, match="say why"):
        release_hold(file_log, "case-7", reason=" ", actor="ann")
    assert file_log.size == 1


# --- contents ---


def spoken(data):
    return hashlib.sha256(data).hexdigest()


def test_contents_that_only_removed_records_spoke_of_go_and_others_stay(file_log):
    contents = [b"only old", b"old and sealed", b"old and live", b"only live"]
    keep(file_log, contents)
    hashes = [spoken(data) for data in contents]
    file_log.append_all([entry(details={"before": {"a": hashes[0], "b": hashes[1], "c": hashes[2]}}), entry()])
    sealed_upto(file_log, 1)
    file_log.append_all([entry(details={"after": {"b": hashes[1]}}), entry(details={"after": {"c": hashes[2], "d": hashes[3]}})])
    sealed_upto(file_log, 4)

    made = retain(file_log, before=file_log.get(3).time, actor="ann")

    assert (made.removed, made.blobs, made.blobs_left) == (((0, 0),), 1, False)
    assert [content(file_log, one) for one in hashes] == [None, *contents[1:]]


def test_contents_stay_while_an_act_is_under_way_that_may_speak_of_them(file_log):
    """Its record comes when it ends; until then nobody knows what it will speak of."""
    keep(file_log, [b"shared"])
    file_log.append_all([entry(details={"before": spoken(b"shared")}), entry()])
    sealed_upto(file_log, 1)
    act = entry(details={})
    file_log.begin(act)

    made = retain(file_log, before=EVER, actor="ann")

    assert (made.blobs, made.blobs_left, content(file_log, spoken(b"shared"))) == (0, True, b"shared")
    file_log.append(act)
    assert (drop_unspoken(file_log), content(file_log, spoken(b"shared"))) == ((1, False), None)


def test_holds_that_two_machines_lay_at_the_same_time_are_all_kept(server_log, address, tmp_path):
    """Each has a folder of its own, so that the folder's lock keeps neither waiting."""
    filled(server_log, 3)
    others = [open_log(tmp_path / f"machine{number}", address) for number in range(3)]
    threads = [threading.Thread(target=lambda log=log, number=number: [held(log, f"hold-{number}-{turn}") for turn in range(8)])
               for number, log in enumerate(others)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for log in others:
        log.close()

    assert sorted(hold.name for hold in holds(server_log)) == [f"hold-{number}-{turn}" for number in range(3) for turn in range(8)]


def test_a_place_that_was_changed_in_the_store_does_not_make_us_throw_segments_away(file_log):
    sealed_log(file_log)
    bend(file_log, ("UPDATE places SET seq = 0",))

    with pytest.raises(SandboxFailure):
        sealed_upto(file_log, 25)

    assert [span[:2] for span in file_log.segments.spans()] == [(0, 9), (10, 19)]
    assert verify(file_log).success


def test_a_segment_that_is_lost_while_its_records_are_live_is_made_anew(file_log):
    """A process was killed between its record and the clearing, and then one of its segments was lost."""
    sealed_log(file_log)
    rows = {seq: file_log.raw(seq) for seq in range(20)}
    bend(file_log, *(("UPDATE records SET header = ?, details = ? WHERE seq = ?", (header.decode(), details, seq))
                     for seq, (header, details) in rows.items()), ("UPDATE places SET seq = 0",))
    (file_log.segments.folder / "0-9.wtseg").unlink()

    sealed_upto(file_log, 25)

    assert ([span[:2] for span in file_log.segments.spans()], verify(file_log).success) == ([(0, 24)], True)
