"""What every shelf promises, on each of them."""

import sqlite3
from dataclasses import replace

import pytest
from entries import HOSTILE, entry, filled, live, looked

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit import blobs, filters, sqlite_shelf
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.query import count, find
from windtunnel.store.audit.verify import verify
from windtunnel.store.database import Database

ODD = "\x00\ud800"
QUERIES = [
    AuditQuery(), AuditQuery(actor=HOSTILE), AuditQuery(actor="ann"), AuditQuery(actor='ann","kind":"run'), AuditQuery(kind="tri"),
    AuditQuery(id=HOSTILE[:9]), AuditQuery(id=ODD), AuditQuery(id="abc*"), AuditQuery(id="abc%"), AuditQuery(id="ab_"), AuditQuery(id="_bc"),
    AuditQuery(text=HOSTILE), AuditQuery(text="é"), AuditQuery(text='"number":1'), AuditQuery(text="%"), AuditQuery(text=ODD),
    AuditQuery(project=ODD), AuditQuery(since="2000", until="2999"), AuditQuery(until="2000\x00"), AuditQuery(after=2), AuditQuery(session="s1")]


@pytest.fixture
def odd(log):
    """With everything in it that a database may stumble over."""
    log.append_all([
        entry(0), entry(1, actor=HOSTILE, kind="trial", subject=HOSTILE), entry(2, project=ODD, id=f"{ODD}tail"), entry(3, id="abc*def"),
        entry(4, id="abc%def", details={"text": HOSTILE}), entry(5, subject="ab_cd"), entry(6, details={"é": "%"})])
    return log


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_the_database_and_we_mean_the_same_records(odd, query):
    rows = [(seq, header.encode(), details) for seq, header, details, _, _ in odd.rows()]
    meant = [seq for seq, header, details in rows if filters.matches(query, seq, header=header, details=details)]

    assert [record.seq for record in find(odd, query)] == meant


@pytest.mark.parametrize("by", filters.GROUPS)
def test_the_database_and_we_count_the_same_groups(odd, by):
    groups = [filters.group_of(by, header.encode()) for _, header, _, _, _ in odd.rows()]

    assert count(odd, AuditQuery(), by) == {name: groups.count(name) for name in groups}


def test_a_hostile_name_is_counted_as_it_is(odd):
    assert count(odd, AuditQuery(), "actor") == {"ann": 6, HOSTILE: 1}


@pytest.mark.parametrize("act", ["abc*def", f"{ODD}tail"])
def test_an_act_is_known_by_its_whole_id(odd, act):
    assert (live(odd).has(act), live(odd).has(act[:-1])) == (True, False)


def test_an_empty_shelf_has_nothing(log):
    shelf = live(log)

    assert (shelf.last(), shelf.row(0), list(shelf.rows(0, 9)), shelf.tree(0), shelf.has("x"), shelf.begins()) == (None, None, [], None, False, 0)


def test_what_was_cleared_keeps_its_place_in_the_tree(log):
    filled(log, 10)
    head, proof = log.head(), log.inclusion(2, 10)

    live(log).clear(0, 4)

    assert (log.head(), log.inclusion(2, 10), live(log).begins()) == (head, proof, 5)
    assert [row[:3] for row in live(log).rows(3, 2)] == [(3, None, None), (4, None, None)]
    assert [seq for seq, _, _ in live(log).find(AuditQuery(), last=None, most=99)] == [5, 6, 7, 8, 9]
    assert log.append(entry()).seq == 10


@pytest.mark.parametrize(("first", "last", "word"), [
    (1, 3, "the first that can be moved away is 0"), (0, 9, "the newest record stays"), (0, 99, "the newest record stays"), (0, -1, "the first that can")])
def test_only_the_oldest_can_be_cleared_and_never_the_newest(log, first, last, word):
    filled(log, 10)

    with pytest.raises(UsageError, match=word):
        live(log).clear(first, last)

    assert (live(log).begins(), verify(log).success) == (0, True)


def test_what_was_cleared_is_nowhere_in_the_file(file_log):
    filled(file_log, 3)
    file_log.append(entry(details={"text": "a word that was cleared"}))
    filled(file_log, 3)

    live(file_log).clear(0, 5)

    assert b"a word that was cleared" not in b"".join(path.read_bytes() for path in file_log.path.parent.iterdir() if path.is_file())


def test_contents_are_kept_once_and_come_back(log):
    blobs.keep(log, [b"one", b"two", b"one"])
    hashes = live(log).blob_hashes("", 10)

    assert [blobs.content(log, name) for name in hashes] == sorted([b"one", b"two"], key=lambda data: hashes.index(live_hash(data)))
    assert (list(live(log).blob_hashes(hashes[0], 10)), blobs.content(log, "0" * 64)) == ([hashes[1]], None)


def live_hash(data):
    import hashlib

    return hashlib.sha256(data).hexdigest()


def test_a_content_that_was_changed_is_told(log):
    blobs.keep(log, [b"one"])
    (name,) = live(log).blob_hashes("", 10)
    live(log).drop_blobs([name], size=0, unless=lambda: False)
    live(log).keep_blobs([(name, b"not packed")])

    with pytest.raises(SandboxFailure, match="was changed"):
        blobs.content(log, name)


@pytest.mark.parametrize(("size", "speaks", "left"), [(2, False, 0), (1, False, 1), (2, True, 1)])
def test_contents_are_dropped_only_while_the_log_is_as_it_was(log, size, speaks, left):
    filled(log, 2)
    blobs.keep(log, [b"one"])

    done = live(log).drop_blobs(live(log).blob_hashes("", 10), size=size, unless=lambda: speaks)

    assert (done, len(live(log).blob_hashes("", 10))) == (left == 0, left)


def test_a_checkpoint_that_is_there_stays(log):
    for note in ("first", "second"):
        log.keep_checkpoint(7, note)
    log.keep_checkpoint(3, "earlier")

    assert log.checkpoints() == ["earlier", "first"]


def test_details_that_are_gone_are_not_overwritten(log):
    filled(log, 3)
    live(log).clear(0, 0)

    live(log).overwrite(0, lambda _: b"something")

    assert live(log).row(0)[2] is None


def test_an_append_that_fails_leaves_nothing(log):
    filled(log, 2)

    def broken(end):
        raise OSError("in the middle")

    with pytest.raises((OSError, SandboxFailure)):
        live(log).append(broken, wait=True)

    assert (log.append(entry()).seq, verify(log).success) == (2, True)


def test_a_file_of_the_first_version_is_brought_to_this_one(tmp_path):
    old = replace(sqlite_shelf.SHAPE, migrations=sqlite_shelf.SHAPE.migrations[:1])
    database = Database(tmp_path / "audit.db", old)
    new = filled(AuditLog(tmp_path / "new" / "audit.db"), 5)
    rows = list(new.rows())
    database.do(lambda connection: connection.executemany("INSERT INTO records (seq, header, details, leaf, nodes) VALUES (?, ?, ?, ?, ?)", rows))
    database.close()

    log = AuditLog(tmp_path / "audit.db")

    assert (list(log.rows()), verify(log).success, log.shelf.begins()) == (rows, True, 0)
    assert {name for (name,) in looked(log, "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql NOTNULL")} == {
        "records_by_id", "records_by_subject", "records_by_time"}
    log.close()
    new.close()


def test_a_migration_that_fails_leaves_the_file_as_it_was(tmp_path):
    old = replace(sqlite_shelf.SHAPE, migrations=sqlite_shelf.SHAPE.migrations[:1])
    failing = replace(old, migrations=(*old.migrations, ("CREATE TABLE halfway (one)", "CREATE TABLE records (one)")))
    database = Database(tmp_path / "audit.db", old)
    database.do(lambda connection: connection.execute("SELECT 1"))
    database.close()

    with pytest.raises(SandboxFailure, match="already exists"):
        Database(tmp_path / "audit.db", failing).do(lambda connection: connection.execute("SELECT 1"))

    with sqlite3.connect(tmp_path / "audit.db") as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    connection.close()
