"""Sealed records are read as before, by everybody, whatever happens while they are sealed."""

import errno
import threading
from collections import Counter
from dataclasses import replace

import pytest
from entries import HOSTILE, bend, entry, filled, looked
from sealed_logs import everything, large, ring_of, sealed_log, sealed_upto

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit import merkle, segment_writing
from windtunnel.store.audit.checkpoint import Checkpoint
from windtunnel.store.audit.export import FORMS, lines
from windtunnel.store.audit.keeping_state import gaps, is_within, joined
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.proof import check_proof, prove
from windtunnel.store.audit.query import count
from windtunnel.store.audit.redaction import redact
from windtunnel.store.audit.sealing import seal
from windtunnel.store.audit.verify import verify

QUERIES = [
    {}, {"newest_first": True}, {"limit": 7}, {"limit": 17, "newest_first": True}, {"actor": "bob"}, {"kind": "trial"},
    {"text": "entry 3"}, {"text": HOSTILE}, {"after": 8}, {"after": 14, "newest_first": True}, {"actor": HOSTILE}, {"id": "act-1"},
    {"id": "about-2", "newest_first": True, "limit": 1}, {"outcome": "failed", "limit": 3}]


def mixed(log, size=40):
    """Records of several kinds, some of them hostile."""
    log.append_all([entry(
        number, actor=("ann", "bob", HOSTILE)[number % 3], kind=("run", "trial")[number % 2], id=f"act-{number}",
        outcome="failed" if number % 5 == 0 else "done", subject=f"about-{number}",
        details={"text": f"entry {number}", "other": HOSTILE}) for number in range(size)])
    return log


@pytest.mark.parametrize("query", QUERIES, ids=str)
@pytest.mark.parametrize("encrypt", [False, True])
def test_a_query_finds_the_same_as_before(file_log, query, encrypt):
    mixed(file_log)
    before = everything(file_log, **query)
    sealed_upto(file_log, 13, encrypt=encrypt)
    sealed_upto(file_log, 26, encrypt=encrypt)

    after = [record for record in everything(file_log, **{**query, "limit": None}) if record.entry.kind != "seal"]

    assert after[:query.get("limit")] == before


def test_times_narrow_it_to_the_same_records_as_before(file_log):
    mixed(file_log)
    since, until = file_log.get(5).time, file_log.get(18).time
    sealed_upto(file_log, 10)
    sealed_upto(file_log, 20)

    assert [record.seq for record in everything(file_log, since=since, until=until)] == list(range(5, 18))


@pytest.mark.parametrize("by", ["actor", "kind", "outcome", "project", "session", "day"])
def test_records_are_counted_as_before(file_log, by):
    mixed(file_log)
    before = count(file_log, AuditQuery(after=3), by)
    record = file_log.get(sealed_upto(file_log, 20).record)
    own = {"day": record.time[:10]}.get(by) or getattr(record.entry, by, "")

    assert Counter(count(file_log, AuditQuery(after=3), by)) == Counter(before) + Counter([own])


@pytest.mark.parametrize("form", FORMS)
def test_an_export_is_the_same_as_before(file_log, form):
    mixed(file_log)
    before = list(lines(iter(everything(file_log)), form))
    sealed_upto(file_log, 30)

    assert list(lines(iter(everything(file_log)), form))[:len(before)] == before


def test_heads_proofs_and_checkpoints_are_the_same_as_before(file_log):
    filled(file_log, 40)
    size, root = file_log.head()
    key = ring_of(file_log).current()
    note = Checkpoint(origin=key.name, size=size, root=root).signed(key)
    before = [prove(file_log, seq, note=note, size=size) for seq in range(size)]
    sealed_upto(file_log, 33)

    assert [prove(file_log, seq, note=note, size=size) for seq in range(size)] == before
    assert check_proof(before[3], [key.public])[0] == file_log.get(3)
    assert file_log.head(size) == (size, root)
    assert merkle.is_consistent(first=size, second=file_log.size, old=root, new=file_log.head()[1],
                                proof=file_log.consistency(size, file_log.size))
    assert verify(file_log, [Checkpoint(origin="o", size=size, root=root)]).success


def test_a_record_of_its_own_says_what_was_sealed(file_log):
    filled(file_log, 12)

    made = sealed_upto(file_log, 10)

    record = file_log.get(made.record)
    assert (made.segments, made.first, made.records, made.record, made.more) == (("0-9.wtseg",), 0, 10, 12, False)
    assert (record.entry.kind, record.entry.actor, record.entry.subject) == ("seal", "ann", "audit-keeping/0-9")
    assert record.entry.details == {
        "first": 0, "last": 9, "bytes": made.stored_bytes, "segments": ["0-9.wtseg"],
        "state": {"sealed": 10, "removed": [], "holds": []}}


def test_what_was_sealed_is_not_in_the_store_any_more(file_log):
    file_log.append_all([entry(details={"text": f"needle-{number}"}) for number in range(12)])

    sealed_upto(file_log, 10, encrypt=True)

    data = b"".join(path.read_bytes() for path in file_log.path.parent.rglob("audit*") if path.is_file())
    assert (b"needle-3" in data, b"needle-11" in data) == (False, True)
    assert looked(file_log, "SELECT count(*) FROM records WHERE header IS NULL AND length(leaf) = 32") == [(10,)]


def test_only_what_is_old_enough_is_sealed(file_log):
    filled(file_log, 20)

    made = seal(file_log, before=file_log.get(8).time, keep_live=0, signer=ring_of(file_log).current(), actor="ann")

    assert made.segments == ("0-7.wtseg",)


def test_a_record_with_a_younger_one_before_it_waits_for_that_one(file_log):
    """A clock that went back: the oldest records are sealed, never one from the middle."""
    filled(file_log, 5)

    made = seal(file_log, before="2000", keep_live=0, signer=ring_of(file_log).current(), actor="ann")

    assert (made.segments, made.record, file_log.size) == ((), -1, 5)


def test_all_but_the_record_that_says_so_can_be_sealed(file_log):
    filled(file_log, 5)

    made = sealed_upto(file_log, 5)

    assert (made.segments, [record.seq for record in everything(file_log)]) == (("0-4.wtseg",), [0, 1, 2, 3, 4, 5])
    assert verify(file_log).success


def test_so_many_segments_are_made_and_no_more(file_log):
    file_log.append_all([large(number) for number in range(130)])

    made = seal(file_log, keep_live=0, signer=ring_of(file_log).current(), actor="ann", most=1)

    assert (len(made.segments), made.more, made.records < 130) == (1, True, True)
    again = seal(file_log, keep_live=0, signer=ring_of(file_log).current(), actor="ann")
    assert (again.first, again.more, verify(file_log).success) == (made.records, False, True)


def test_a_large_record_and_an_empty_one_are_sealed(file_log):
    file_log.append_all([entry(details={"text": "y" * 5_000_000}), entry(details={}), entry()])

    sealed_upto(file_log, 2)

    assert [dict(file_log.get(seq).entry.details) for seq in (0, 1)] == [{"text": "y" * 5_000_000}, {}]


@pytest.mark.parametrize("column", ["header", "details"])
def test_a_record_that_was_changed_does_not_come_under_a_new_signature(file_log, column):
    filled(file_log, 10)
    bend(file_log, {"header": ("UPDATE records SET header = replace(header, 'ann', 'bob') WHERE seq = 3",),
                    "details": ("UPDATE records SET details = CAST(substr(details, 1, length(details) - 1) || x'00' AS BLOB) WHERE seq = 3",)}[column])

    with pytest.raises(SandboxFailure, match="record 3 is not what was written, and is not sealed"):
        sealed_upto(file_log, 8)

    assert (file_log.segments.spans(), file_log.shelf.begins(), verify(file_log).fault.seq) == ([], 0, 3)


def test_a_senseless_number_is_refused(file_log):
    with pytest.raises(UsageError, match="-1 is not a number of records"):
        seal(file_log, keep_live=-1, signer=ring_of(file_log).current(), actor="ann")


def test_a_log_that_others_read_without_our_folder_is_not_sealed(server_log):
    filled(server_log, 5)

    with pytest.raises(UsageError, match="seal only a log in a file"):
        sealed_upto(server_log, 3)


def test_a_disk_that_is_full_leaves_the_records_where_they_are_and_no_file(file_log, monkeypatch):
    filled(file_log, 10)
    ring_of(file_log).current()

    def full(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(segment_writing.os, "fsync", full)
    with pytest.raises(SandboxFailure, match="the segment cannot be written: No space left on device; the records stay"):
        sealed_upto(file_log, 8)
    monkeypatch.undo()

    assert (list(file_log.segments.folder.iterdir()), file_log.shelf.begins(), verify(file_log).success) == ([], 0, True)


@pytest.mark.parametrize("name", ["0-7.wtseg.new", "9-9.wtseg"])
def test_a_folder_that_is_in_the_way_is_told(file_log, name):
    filled(file_log, 10)
    (file_log.segments.folder / name).mkdir(parents=True)

    with pytest.raises(SandboxFailure, match="segments cannot be kept there: Is a directory"):
        sealed_upto(file_log, 8)

    assert (file_log.shelf.begins(), verify(file_log).success) == (0, True)


def test_what_is_sealed_can_be_sealed_on_by_another_process_that_opens_it_anew(file_log):
    sealed_log(file_log)
    file_log.close()
    again = AuditLog(file_log.path)

    sealed_upto(again, 30)

    assert ([span[:2] for span in again.segments.spans()], verify(again).success) == ([(0, 9), (10, 19), (20, 29)], True)
    again.close()


# --- redaction of what is sealed ---

SECRET = "a-password-that-slipped-through"


@pytest.mark.parametrize("encrypt", [False, True])
def test_a_value_is_taken_out_of_a_sealed_record_and_every_proof_still_holds(file_log, encrypt):
    filled(file_log, 5)
    file_log.append(entry(details={"output": SECRET, "other": 1}))
    filled(file_log, 10)
    size, root = file_log.head()
    sealed_upto(file_log, 10, encrypt=encrypt)
    before = file_log.segments.opened(file_log.segments.folder / "0-9.wtseg").head

    redact(file_log, 5, ["output"], actor="ann", reason="a password")

    after = file_log.segments.opened(file_log.segments.folder / "0-9.wtseg")
    assert (file_log.get(5).redacted, dict(file_log.get(5).entry.details)) == (("output",), {"other": 1})
    assert SECRET.encode() not in b"".join(details for _, _, details in after.records())
    assert (after.head, after.head.salt != before.salt) == (replace(before, salt=after.head.salt), encrypt)
    assert verify(file_log, [Checkpoint(origin="o", size=size, root=root)]).success


def test_what_says_what_was_sealed_cannot_be_redacted(file_log):
    sealed_log(file_log)

    with pytest.raises(UsageError, match="record 31 says what was sealed, removed or held, and must stay"):
        redact(file_log, 31, ["state"], actor="ann", reason="why")


# --- at the same time ---


def test_readers_miss_nothing_while_others_seal_and_write(file_log):
    filled(file_log, 600)
    stop, faults = threading.Event(), []

    def read():
        mine = AuditLog(file_log.path)
        while not stop.is_set():
            for newest_first in (False, True):
                found = [record.seq for record in everything(mine, newest_first=newest_first)]
                if found != sorted(found, reverse=newest_first) or len(set(found)) != len(found) or not set(range(600)) <= set(found):
                    faults.append(found)
            total = sum(count(mine, AuditQuery(kind="run"), "kind").values())
            faults.extend([total] if total != 600 else [])
        mine.close()

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for upto in range(40, 600, 80):
        sealed_upto(file_log, upto)
    stop.set()
    for reader in readers:
        reader.join()

    assert faults == []


def test_those_who_seal_at_the_same_time_seal_each_record_once(file_log):
    filled(file_log, 300)
    before = everything(file_log)

    def work():
        mine = AuditLog(file_log.path)
        for upto in range(50, 300, 50):
            seal(mine, before=before[upto].time, keep_live=0, signer=ring_of(mine).current(), actor="ann")
        mine.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()

    assert [span[:2] for span in file_log.segments.spans()] == [(first, first + 49) for first in range(0, 250, 50)]
    assert (everything(file_log)[:300], verify(file_log).success) == (before, True)


# --- stretches ---


def test_stretches_are_joined_and_what_is_between_is_found(file_log):
    spans = sealed_log(file_log).segments.spans()

    assert joined([(10, 19), (0, 9), (30, 30), (12, 15)]) == ((0, 19), (30, 30))
    assert (gaps(spans, 0, 20), gaps(spans, 5, 30), gaps(spans[1:], 0, 20), gaps([], 3, 5)) == ([], [(20, 29)], [(0, 9)], [(3, 4)])
    assert (is_within(3, 5, ((0, 9),)), is_within(3, 15, ((0, 9), (11, 20)))) == (True, False)
