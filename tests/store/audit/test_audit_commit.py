"""Group commit: one wait for many, each error told to the one it belongs to, nothing written twice."""

import subprocess
import sys
import threading
from dataclasses import replace

import pytest
from entries import entry, filled, live, store_of

from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store.audit import sqlite_shelf
from windtunnel.store.audit.log import AuditLog
from windtunnel.store.audit.query import find
from windtunnel.store.audit.verify import verify

ENDED = """
import os, signal, sys
from windtunnel.core.audit import AuditEntry
from windtunnel.store.audit.log import AuditLog
log = AuditLog(sys.argv[1])
for number in range(int(sys.argv[2])):
    log.intents.begin(AuditEntry(kind="run", outcome="begun", actor="bob", id=f"{sys.argv[3]}-{number}"))
os.kill(os.getpid(), signal.SIGKILL)
"""
REPAIRER = """
import sys
from pathlib import Path
from windtunnel.core.address import DatabaseAddress
from windtunnel.store.audit.opening import open_log
log = open_log(Path(sys.argv[1]), DatabaseAddress(sys.argv[2]) if sys.argv[2] else None)
log.size
print("ready", flush=True)
sys.stdin.readline()
print(len(log.repair()), flush=True)
log.close()
"""


def leave(log, *names, count=5):
    """Acts under way of processes that were killed."""
    for name in names:
        subprocess.run([sys.executable, "-c", ENDED, str(log.path), str(count), name], check=False, timeout=120)


def lost(log):
    return sorted(record.entry.id for record in find(log, AuditQuery(outcome="lost")))


def test_two_processes_that_repair_at_once_write_each_end_once(log):
    leave(log, "a", "b", "c")
    store = store_of(log)
    words = [sys.executable, "-c", REPAIRER, str(log.path.parent), "" if store is None else store.secret]
    both = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [one.stdout.readline() for one in both] == ["ready\n", "ready\n"]

    for one in both:
        one.stdin.write("go\n")
        one.stdin.flush()
    made = [int(one.communicate(timeout=120)[0]) for one in both]

    assert (sum(made), lost(log)) == (15, sorted(f"{name}-{number}" for name in "abc" for number in range(5)))
    assert verify(log).success
    assert list(log.intents.left()) == []


def test_one_that_read_what_is_left_before_another_ended_it_writes_nothing(log, monkeypatch):
    """The narrowest race, made certain."""
    leave(log, "a")
    left = list(log.intents.left())
    log.repair()
    monkeypatch.setattr(log.intents, "left", lambda: iter(left))

    assert (log.repair(), len(lost(log))) == ([], 5)


def test_an_act_whose_particulars_cannot_be_written_keeps_no_other_away(log, monkeypatch):
    from windtunnel.core.audit import AuditEntry

    posted = AuditEntry(kind="run", outcome="done", actor="ann", session="s", details={"thing": object()})
    leave(log, "a", count=1)
    left = [(path, [*entries, posted]) for path, entries in log.intents.left()]
    monkeypatch.setattr(log.intents, "left", lambda: iter(left))

    told = {record.entry.id: record.entry.details for record in log.repair()}

    assert told[posted.id] == {"why": "its particulars cannot be written down: details: thing is not plain JSON: "
                                      "Object of type object is not JSON serializable"}
    assert sorted(told) == sorted(["a-0", posted.id])


def test_looking_before_writing_is_not_enough(file_log):
    """What the asking inside of the transaction is for: two that looked first both write."""
    leave(file_log, "a", count=1)
    ((_, begun),) = file_log.intents.left()
    missing = [[one for one in begun if not file_log.shelf.has(one.id)] for _ in range(2)]

    for found in missing:
        file_log.append_all([replace(one, outcome="lost") for one in found])

    assert lost(file_log) == ["a-0", "a-0"]


def test_a_record_that_cannot_be_written_is_the_fault_of_its_writer_alone(log):
    start, told = threading.Barrier(8), {}

    def work(number):
        start.wait(60)
        try:
            told[number] = log.append(entry(number, kind=7 if number == 3 else "run")).entry.details["number"]
        except UsageError as error:
            told[number] = str(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert told == {number: "kind: not text: int" if number == 3 else number for number in range(8)}
    assert log.size == 7


def test_what_was_written_though_the_disk_failed_is_not_written_again(file_log, monkeypatch):
    filled(file_log, 1)
    wanted = entry(1)

    def failing(_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(sqlite_shelf.os, "fdatasync", failing)
        with pytest.raises(SandboxFailure, match="the disk failed"):
            file_log.append(wanted)

    record = file_log.append(wanted)

    assert (record.seq, file_log.get(1), file_log.size) == (1, record, 2)


def test_what_was_posted_when_the_disk_failed_is_there_once(file_log, monkeypatch):
    filled(file_log, 1)

    def failing(_):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(sqlite_shelf.os, "fdatasync", failing)
        file_log._posted.append(entry(1))
        with pytest.raises(SandboxFailure, match="the disk failed"):
            file_log.append_all([entry(2)])

    file_log.append(entry(3))

    assert [record.entry.details["number"] for record in find(file_log, AuditQuery())] == [0, 1, 2, 3]


def test_an_entry_of_the_same_id_is_another_record_where_nothing_failed(log):
    """An id is looked for only where that is asked for, or where writing it had failed."""
    log.append_all([entry(0, id="same"), entry(1, id="same")])

    assert log.size == 2


def test_those_who_wait_are_not_left_alone_when_the_next_in_turn_is_interrupted(file_log, monkeypatch):
    writer, shelf = file_log._writer, live(file_log)
    inside, go = threading.Event(), threading.Event()
    real = shelf.append

    def slow(place, *, wait):
        inside.set()
        assert go.wait(60)
        real(place, wait=wait)

    monkeypatch.setattr(shelf, "append", slow)
    interrupted, told = [], []

    class Interrupt(BaseException):
        pass

    def first():
        told.append(file_log.append(entry(0)).seq)

    def second():
        try:
            file_log.append(entry(1))
        except Interrupt:
            interrupted.append(True)

    def third():
        told.append(file_log.append(entry(2)).seq)

    real_wait = writer._write_or_wait

    def waiting(batch):
        if threading.current_thread().name == "second":
            raise Interrupt
        real_wait(batch)

    monkeypatch.setattr(writer, "_write_or_wait", waiting)
    threads = [threading.Thread(target=first), threading.Thread(target=second, name="second"), threading.Thread(target=third)]
    threads[0].start()
    assert inside.wait(60)
    threads[1].start()
    threads[1].join(60)
    threads[2].start()
    go.set()
    for thread in threads:
        thread.join(60)

    assert (interrupted, sorted(told), file_log.size) == ([True], [0, 1], 2)


def test_a_log_that_was_closed_goes_on(log):
    filled(log, 2)
    log.close()

    assert (log.append(entry()).seq, isinstance(log, AuditLog)) == (2, True)
