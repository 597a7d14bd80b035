"""Appending and reading, by many at once, across crashes and forks."""

import os
import signal
import sqlite3
import subprocess
import sys
import threading
from datetime import datetime
from pathlib import Path

import pytest
from entries import entry, filled, live, store_of

from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit import commit, merkle, sqlite_shelf
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.verify import verify

WRITER = """
import sys
from windtunnel.core.audit import AuditEntry
from pathlib import Path
from windtunnel.core.address import DatabaseAddress
from windtunnel.store.audit.opening import open_log
log = open_log(Path(sys.argv[1]), DatabaseAddress(sys.argv[5]) if sys.argv[5] else None)
for number in range(int(sys.argv[3])):
    record = log.append(AuditEntry(kind="run", outcome="done", actor=sys.argv[2], details={"number": number}), wait=sys.argv[4] == "wait")
    print(record.seq, flush=True)
"""


def writer(log, name, count, *, wait="wait"):
    store = store_of(log)
    words = [str(log.path.parent), name, str(count), wait, "" if store is None else store.secret]
    return subprocess.Popen([sys.executable, "-c", WRITER, *words], stdout=subprocess.PIPE, text=True)


def test_a_record_comes_back_as_it_was_written(log):
    given = entry(3, parent="p", outcome="not good")

    record = log.append(given)

    assert log.get(0) == record
    assert (record.seq, record.entry, record.previous) == (0, given, "0" * 64)
    assert datetime.fromisoformat(record.time).utcoffset().total_seconds() == 0


def test_records_are_chained(log):
    records = log.append_all([entry(number) for number in range(5)])

    assert [record.previous for record in records[1:]] == [record.hash for record in records[:-1]]


def test_there_is_no_record_beyond_the_end(log):
    assert (log.get(0), log.size, log.head()) == (None, 0, (0, merkle.EMPTY))


@pytest.mark.parametrize("count", [1, 2, 3, 7, 8, 100])
def test_the_head_is_that_of_the_records(log, count):
    records = log.append_all([entry(number) for number in range(count)])
    hashes = [bytes.fromhex(record.hash) for record in records]

    def node(level, index):
        return hashes[index] if level == 0 else merkle.node_hash(node(level - 1, 2 * index), node(level - 1, 2 * index + 1))

    assert log.head() == (count, merkle.head(count, node))
    assert log.head(count - 1) == (count - 1, merkle.head(count - 1, node))
    assert log.inclusion(0, count) == merkle.inclusion(0, count, node)
    assert log.consistency(1, count) == merkle.consistency(1, count, node)


def test_writing_one_by_one_and_all_at_once_is_the_same(log, make_log):
    for number in range(20):
        log.append(entry(number))
    again = filled(make_log("again"), 20)

    assert verify(log).success
    assert verify(again).success
    assert (log.size, again.size) == (20, 20)


def test_many_threads_share_the_waits_and_lose_nothing(file_log, monkeypatch):
    waits = []
    real = os.fdatasync
    monkeypatch.setattr(sqlite_shelf.os, "fdatasync", lambda descriptor: (waits.append(1), real(descriptor)))
    start = threading.Barrier(16)

    def work(name):
        start.wait(10)
        for number in range(25):
            file_log.append(entry(number, actor=name))

    threads = [threading.Thread(target=work, args=(f"actor {number}",)) for number in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert (file_log.size, verify(file_log).success) == (400, True)
    assert len(waits) < 400


def test_many_threads_write_one_log(log):
    def work(name):
        for number in range(25):
            log.append(entry(number, actor=name))

    threads = [threading.Thread(target=work, args=(f"actor {number}",)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)

    assert (log.size, verify(log).success) == (200, True)


def test_who_waits_has_it_on_the_disk(file_log, monkeypatch):
    synced = []
    monkeypatch.setattr(sqlite_shelf.os, "fdatasync", lambda descriptor: synced.append(str(Path(f"/proc/self/fd/{descriptor}").readlink())))

    file_log.append(entry())

    assert synced == [f"{file_log.path}-wal"]


def test_who_does_not_wait_has_it_there_soon(file_log, monkeypatch):
    synced = threading.Event()
    monkeypatch.setattr(sqlite_shelf.os, "fdatasync", lambda _: synced.set())

    file_log.append(entry(), wait=False)

    assert synced.wait(10)


def test_many_processes_write_one_log(log):
    writers = [writer(log, f"process {number}", 40) for number in range(6)]
    places = [int(line) for process in writers for line in process.communicate(timeout=120)[0].split()]

    assert sorted(places) == list(range(240))
    assert (verify(log).success, log.size) == (True, 240)


@pytest.mark.parametrize("wait", ["wait", "no"])
def test_what_was_told_of_survives_a_kill(log, wait):
    process = writer(log, "killed", 100_000, wait=wait)
    told = [int(process.stdout.readline()) for _ in range(50)]
    process.send_signal(signal.SIGKILL)
    process.wait(10)
    told += [int(line) for line in process.stdout.read().split("\n")[:-1]]
    process.stdout.close()

    assert log.get(told[-1]) is not None
    assert verify(log).success
    assert log.append(entry()).seq == log.size - 1


def test_a_child_writes_on_after_a_fork(log):
    log.append(entry(0))
    child = os.fork()
    if child == 0:
        log.append(entry(1))
        os._exit(0)
    os.waitpid(child, 0)
    log.append(entry(2))

    assert ([record.entry.details["number"] for record in map(log.get, range(3))], verify(log).success) == ([0, 1, 2], True)


def test_a_clock_that_goes_back_is_recorded(log, monkeypatch):
    log.append(entry())

    class Earlier(datetime):
        @classmethod
        def now(cls, tz=None):
            return datetime(2020, 1, 1, tzinfo=tz)

    monkeypatch.setattr(commit, "datetime", Earlier)
    record = log.append(entry())

    assert record.clock_back > 3600
    assert (log.get(1).clock_back, verify(log).success) == (record.clock_back, True)


def test_a_log_that_cannot_be_written_refuses(file_log):
    filled(file_log, 2)
    file_log.close()
    file_log.path.unlink()
    file_log.path.mkdir()

    with pytest.raises(SandboxFailure, match="not a plain file"):
        file_log.append(entry())


def test_a_full_disk_is_told_to_each_who_wrote(file_log):
    file_log.append(entry())
    live(file_log).database.do(lambda connection: connection.execute("PRAGMA max_page_count = 1"))

    with pytest.raises(SandboxFailure, match="free some room on the disk"):
        file_log.append(entry(details={"big": "x" * 200_000}))

    live(file_log).database.do(lambda connection: connection.execute("PRAGMA max_page_count = 100000"))
    assert (file_log.append(entry()).seq, verify(file_log).success) == (1, True)


@pytest.mark.parametrize("content", [b"not a database at all, but long enough to look at" * 40, None])
def test_a_damaged_or_foreign_file_is_refused_and_stays(tmp_path, content):
    path = tmp_path / "audit.db"
    if content is None:
        with sqlite3.connect(path) as other:
            other.execute("CREATE TABLE theirs (a)")
        other.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()

    with pytest.raises(SandboxFailure):
        AuditLog(path).append(entry())

    assert path.read_bytes() == before


def test_the_file_is_its_owners_alone(file_log):
    file_log.append(entry())

    assert {path.stat().st_mode & 0o777 for path in file_log.path.parent.iterdir() if path.is_file()} == {0o600}
