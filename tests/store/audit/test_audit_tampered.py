"""What somebody who may write the store can plant, bend or take away, and how each of it is refused or named."""

import hashlib
import sqlite3
import zlib
from contextlib import closing

import pytest
from entries import bend, entry, filled, looked
from sealed_logs import sealed_log

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure
from windtunnel.engine.audit import Trail, keys_in
from windtunnel.store.audit.blobs import content, keep, not_kept
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.query import find
from windtunnel.store.audit.verify import verify

TRIGGER = """CREATE TRIGGER t BEFORE INSERT ON records WHEN new.header LIKE '%"run"%' BEGIN SELECT raise(ignore); END"""
AFTER = "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records WHERE seq = new.seq; END"
DATA = b"the content of a file"
HASH = hashlib.sha256(DATA).hexdigest()


def found(log):
    fault = verify(log).fault
    return None if fault is None else (fault.seq, fault.kind)


def trail_of(log):
    return Trail(log=log, keys=keys_in(log.path.parent))


def applied(log, *, kept=True):
    """Three records, the second of an apply that names one content."""
    if kept:
        keep(log, [DATA])
    log.append_all([entry(0), entry(1, kind="apply", details={"after": {"a.py": HASH}, "before": {"a.py": None}}), entry(2)])
    return log


# --- what is planted in the schema ---


def test_a_planted_trigger_keeps_a_record_out_without_a_word_where_nobody_looks(file_log):
    filled(file_log, 2)
    bend(file_log, (TRIGGER,))

    with closing(sqlite3.connect(file_log.path, isolation_level=None)) as connection:
        connection.execute("""INSERT INTO records (seq, header, details, leaf, nodes) VALUES (2, '{"kind":"run"}', x'', x'', x'')""")

    assert looked(file_log, "SELECT count(*) FROM records") == [(2,)]


@pytest.mark.parametrize("statement", [
    TRIGGER, "CREATE VIEW seen AS SELECT 1", "CREATE TABLE other (one)", "CREATE UNIQUE INDEX other ON records (details)",
    "DROP INDEX records_by_id"])
@pytest.mark.parametrize("act", [lambda log: log.append(entry()), verify])
def test_a_file_with_what_is_not_ours_is_refused_and_stays_as_it_is(file_log, statement, act):
    filled(file_log, 2)
    bend(file_log, (statement,))
    before = file_log.path.read_bytes()

    with pytest.raises(SandboxFailure, match="its tables are not as Windtunnel makes them"):
        act(file_log)

    assert file_log.path.read_bytes() == before


def test_a_table_of_ours_with_another_definition_is_refused(file_log):
    filled(file_log, 2)
    bend(file_log, ("DROP TABLE checkpoints",), ("CREATE TABLE checkpoints (size INTEGER PRIMARY KEY ON CONFLICT IGNORE, note TEXT)",))

    with pytest.raises(SandboxFailure, match=r"\(table checkpoints, table checkpoints\)"):
        file_log.append(entry())


@pytest.mark.parametrize("trigger", [TRIGGER, AFTER])
def test_a_trigger_planted_while_the_log_is_open_is_noticed_by_the_rows_that_are_not_there(file_log, trigger):
    filled(file_log, 2)
    looked(file_log, trigger)

    with pytest.raises(SandboxFailure, match="kept 0 of 1 records"):
        file_log.append(entry())

    assert looked(file_log, "SELECT count(*) FROM records") == [(2,)]


@pytest.mark.parametrize("statement", [
    "CREATE RULE r AS ON INSERT TO windtunnel.audit_blobs DO INSTEAD NOTHING",
    "ALTER TABLE records ENABLE ROW LEVEL SECURITY"])
def test_a_server_whose_tables_have_rules_of_others_is_refused(server_log, statement):
    filled(server_log, 2)
    bend(server_log, (statement,))

    with pytest.raises(SandboxFailure, match="has what is not ours"):
        server_log.append(entry())


def test_a_trigger_planted_while_the_server_is_in_use_is_noticed(server_log):
    filled(server_log, 2)
    looked(server_log, "CREATE FUNCTION windtunnel.keep_out() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'")
    looked(server_log, "CREATE TRIGGER t BEFORE INSERT ON records FOR EACH ROW EXECUTE FUNCTION windtunnel.keep_out()")

    with pytest.raises(SandboxFailure, match="kept 0 of 1 records"):
        server_log.append(entry())


# --- values of other kinds ---


@pytest.mark.parametrize("change", [
    # The byte may be of a random salt: it becomes another one, whatever it was.
    "details = substr(details, 1, 50) || iif(substr(details, 51, 1) = x'41', x'42', x'41') || substr(details, 52)",
    "details = 'text'", "details = 7", "details = 1.5",
    "leaf = 'text'", "leaf = 7", "nodes = 'text'", "nodes = 7", "header = 5"])
def test_a_value_of_another_kind_is_named_as_the_record_it_is_in(file_log, change):
    filled(file_log, 6)

    bend(file_log, (f"UPDATE records SET {change} WHERE seq = 3",))

    fault = verify(file_log).fault
    assert (fault.seq, fault.kind in ("edited", "damaged")) == (3, True)


def test_a_header_that_is_no_text_is_named(file_log):
    filled(file_log, 6)

    bend(file_log, ("""UPDATE records SET header = CAST(replace(header, 'ann', x'ff') AS TEXT) WHERE seq = 3""",))

    assert found(file_log) == (3, "edited")


def test_details_that_were_taken_away_are_named(file_log):
    filled(file_log, 6)

    bend(file_log, ("UPDATE records SET details = NULL WHERE seq = 3",))

    assert found(file_log) == (3, "deleted")


def test_a_search_names_the_record_that_cannot_be_read(file_log):
    filled(file_log, 6)
    bend(file_log, ("UPDATE records SET details = CAST(details AS TEXT) || 'x' WHERE seq = 3",))

    with pytest.raises(SandboxFailure, match="record 3 was edited and cannot be read"):
        list(find(file_log, AuditQuery()))


def test_a_row_before_the_first_is_named(log):
    filled(log, 3)

    bend(log, ("INSERT INTO records (seq, header, details, leaf, nodes) SELECT -1, header, details, leaf, nodes FROM records WHERE seq = 1",))

    assert found(log) == (-1, "added")


# --- contents ---


def test_contents_that_are_as_they_were_are_whole(log):
    assert found(applied(log)) is None


@pytest.mark.parametrize(("statement", "expected"), [
    ("UPDATE blobs SET data = x'4141'", (1, "edited")), ("DELETE FROM blobs", (1, "deleted")),
    ("UPDATE blobs SET data = 'text'", (1, "edited")), ("UPDATE blobs SET data = 7", (1, "edited"))])
def test_a_content_that_was_changed_or_is_gone_is_named_by_its_record(file_log, statement, expected):
    applied(file_log)

    bend(file_log, (statement,))

    assert found(file_log) == expected


def test_a_changed_content_that_no_record_names_is_found(file_log):
    keep(filled(file_log, 2), [DATA])

    bend(file_log, ("UPDATE blobs SET data = ?", (zlib.compress(b"other"),)))

    assert found(file_log) == (-1, "edited")


def test_a_content_that_was_never_kept_is_not_missed(log):
    log.append(entry(kind="apply", details={"after": {"large.bin": not_kept(HASH)}}))

    assert found(log) is None


def test_a_content_that_unpacks_to_more_than_was_ever_kept_is_changed(file_log):
    applied(file_log)
    bend(file_log, ("UPDATE blobs SET data = ?", (zlib.compress(b"\0" * (65 * 1024**2)),)))

    with pytest.raises(SandboxFailure, match="was changed"):
        content(file_log, HASH)


# --- what is gone ---


def test_no_log_is_begun_beside_the_segments_of_one_that_is_gone(file_log):
    sealed_log(file_log)
    file_log.close()
    for path in file_log.path.parent.glob("audit.db*"):
        path.unlink()

    for act in (verify, lambda log: log.append(entry())):
        with pytest.raises(SandboxFailure, match=r"its sealed segments are still in audit\.segments"):
            act(AuditLog(file_log.path))

    assert not file_log.path.exists()


def test_a_log_that_ends_before_its_segments_is_cut(file_log):
    sealed_log(file_log)

    bend(file_log, ("DELETE FROM records WHERE seq >= 15",))

    assert found(file_log) == (15, "cut")
    with pytest.raises(SandboxFailure, match="ends at 15 records, and 20 were sealed"):
        file_log.append(entry())


def test_nothing_is_added_to_a_log_that_was_cut_below_its_own_checkpoint(log):
    trail_of(filled(log, 9)).checkpoint()
    bend(log, ("DELETE FROM records WHERE seq >= 5",))

    for act in (lambda: log.append(entry()), lambda: log.begin(entry(outcome="begun"))):
        with pytest.raises(SandboxFailure, match="ends at 5 records, and a checkpoint was signed for 9"):
            act()

    assert log.size == 5


# --- checkpoints and keys ---


@pytest.mark.parametrize("change", ["replace(note, '9', '8')", "'nothing'", "x'ff'", "'x' || note"])
def test_an_edited_checkpoint_of_the_log_itself_is_named(file_log, change):
    trail = trail_of(filled(file_log, 9))
    trail.checkpoint()
    bend(file_log, (f"UPDATE checkpoints SET note = {change}",))

    fault = trail.verify().fault

    assert (fault.seq, fault.kind, fault.message[:25]) == (-1, "edited", "the stored checkpoint of ")


def test_a_bad_record_is_named_before_a_bad_checkpoint(file_log):
    trail = trail_of(filled(file_log, 9))
    trail.checkpoint()
    bend(file_log, ("UPDATE checkpoints SET note = 'nothing'",), ("DELETE FROM records WHERE seq = 4",))

    assert trail.verify().fault.seq == 4


def test_a_secret_key_that_others_may_read_does_not_keep_from_verifying_and_is_said(file_log):
    trail = trail_of(filled(file_log, 3))
    trail.checkpoint()
    (path,) = trail.keys.folder.glob("*.key")
    path.chmod(0o644)

    verdict = trail.verify()

    assert (verdict.success, verdict.checkpoints, verdict.not_found[-1].split(",")[0]) == (True, 1, "what somebody else signed with 0001.key")
    with pytest.raises(SandboxFailure, match="a secret key that others may read is none"):
        trail.checkpoint()
