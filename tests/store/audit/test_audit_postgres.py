"""A log in PostgreSQL: through crashes of the server, lost answers, foreign databases, and without a word of its password."""

import contextlib
import socket
import sys
import threading
import time
import traceback
from pathlib import Path

import pytest
from entries import HOSTILE, entry, filled, live
from postgres_server import PostgresServer

from windtunnel.core.address import DatabaseAddress
from windtunnel.core.audit import AuditQuery
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.store import postgres
from windtunnel.store.audit.opening import open_log
from windtunnel.store.audit.postgres_shelf import _INSERT, _LOCK, _end
from windtunnel.store.audit.query import find
from windtunnel.store.audit.verify import verify
from windtunnel.store.postgres import transaction

psycopg = pytest.importorskip("psycopg", reason="pip install 'windtunnel[postgresql]'")
SECONDS = 150


@pytest.fixture(scope="module")
def own_server(server):
    """One that may be ended: it is nobody else's."""
    made = PostgresServer()
    yield made
    made.close()


@pytest.fixture
def own_log(own_server, tmp_path):
    address = own_server.fresh()
    made = open_log(tmp_path, DatabaseAddress(address))
    yield made
    made.close()
    own_server.give_back(address)


class Wire:
    """Between a client and the server; cuts the client off when a COMMIT was done, before the answer is told."""

    def __init__(self, folder, server):
        self.server, self.cut, self.away = f"{server.folder}/.s.PGSQL.5432", False, False
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(f"{folder}/.s.PGSQL.5432")
        self.listener.listen()
        self.ends = [self.listener]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                client, there = self.listener.accept()[0], socket.socket(socket.AF_UNIX)
                self.ends += [client, there]
                if self.away:
                    client.close()
                    continue
                there.connect(self.server)
                threading.Thread(target=self._forth, args=(client, there), daemon=True).start()
                threading.Thread(target=self._back, args=(client, there), daemon=True).start()

    def _forth(self, client, there):
        with contextlib.suppress(OSError):
            while data := client.recv(65536):
                if self.cut and b"COMMIT" in data:
                    self.cut = False
                    client.shutdown(socket.SHUT_RDWR)
                there.sendall(data)
            there.shutdown(socket.SHUT_WR)

    def _back(self, client, there):
        with contextlib.suppress(OSError):
            while data := there.recv(65536):
                client.sendall(data)
        client.close()

    def close(self):
        for end in self.ends:
            end.close()


@pytest.fixture
def wired(server, address, tmp_path):
    """A log behind such a wire."""
    folder = Path(tmp_path, "s")
    folder.mkdir()
    wire = Wire(folder, server)
    made = open_log(tmp_path, DatabaseAddress(address.secret.replace(str(server.folder), str(folder))))
    yield made, wire
    made.close()
    wire.close()


def ids(log):
    return [record.entry.id for record in find(log, AuditQuery())]


def keep_writing(log, told, stop):
    """Write until it is enough; what fails is handed in again, as whoever records would."""
    number = 0
    while not stop.is_set():
        wanted, number = entry(number), number + 1
        while True:
            try:
                told.append((log.append(wanted).seq, wanted.id))
                break
            except SandboxFailure:
                if stop.is_set():
                    return


@pytest.mark.slow
def test_nothing_that_was_told_of_is_lost_when_the_server_is_killed(own_log, own_server):
    told, stop = [], threading.Event()
    own_log.append(entry())
    threads = [threading.Thread(target=keep_writing, args=(own_log, told, stop)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for wanted in (20, 60, 100):
        until = time.monotonic() + SECONDS
        while len(told) < wanted and time.monotonic() < until:
            threading.Event().wait(0.01)
        own_server.tell("kill")
        own_server.tell("start")
    stop.set()
    for thread in threads:
        thread.join(SECONDS)

    found = ids(own_log)
    assert len(told) >= 100
    assert all(found[seq] == name for seq, name in told)
    assert len(set(found)) == len(found)
    assert verify(own_log).success


def test_what_was_posted_is_safe_once_it_was_waited_for(own_log, own_server):
    own_log.append(entry(), wait=False)
    live(own_log).wait()

    own_server.tell("kill")
    own_server.tell("start")

    assert own_log.size == 1


def test_a_server_that_was_restarted_is_found_again(own_log, own_server):
    own_log.append(entry(0))

    own_server.tell("stop")
    own_server.tell("start")

    assert (own_log.append(entry(1)).seq, own_log.size, verify(own_log).success) == (1, 2, True)


def test_an_append_whose_answer_was_lost_is_found_to_be_there(wired):
    log, wire = wired
    log.append(entry(0))
    wire.cut = True

    record = log.append(entry(1))

    assert (record.seq, wire.cut, log.size, len(set(ids(log)))) == (1, False, 2, 2)
    assert verify(log).success


def test_done_again_without_looking_it_would_be_there_twice(wired):
    """What the looking is for."""
    log, wire = wired
    log.append(entry(0))
    wire.cut = True

    def careless(connection):
        with transaction(connection, lock=_LOCK):
            seq = _end(connection).last.seq + 1
            connection.execute(_INSERT, [[seq], ["{}"], [b""], [b"same"], [b""]])

    live(log).server.do(careless)

    assert [row[3] for row in live(log).rows(1, 10)] == [b"same", b"same"]


def test_what_could_not_be_found_out_is_looked_for_before_it_is_written_again(wired, monkeypatch):
    log, wire = wired
    log.append(entry(0))
    wanted = entry(1)
    monkeypatch.setattr(postgres, "BUSY_SECONDS", 0)
    wire.cut = wire.away = True
    with pytest.raises(SandboxFailure, match="cannot be reached"):
        log.append(wanted)
    wire.away = False

    record = log.append(wanted)

    assert (record.seq, record.entry.id, ids(log).count(wanted.id), verify(log).success) == (1, wanted.id, 1, True)


def test_a_server_that_cannot_be_reached_is_said_without_the_password(tmp_path):
    address = DatabaseAddress("postgresql://ann:s3%63ret@/log?host=/nowhere&sslpassword=hidden")

    with pytest.raises(SandboxFailure) as caught:
        open_log(tmp_path, address).append(entry())

    told = "".join(traceback.format_exception(caught.value)) + repr(address) + str(address)
    assert "start the server, or mend audit_store" in told
    assert not any(word in told for word in ("s3%63ret", "s3cret", "hidden"))


def test_a_wrong_password_is_said_without_it(own_server, tmp_path):
    own_server.execute("DROP ROLE IF EXISTS locked; CREATE ROLE locked LOGIN PASSWORD 'right'")
    own_server.execute("ALTER ROLE locked NOLOGIN")

    address = DatabaseAddress(f"postgresql://locked:wr0ng@/postgres?host={own_server.folder}")

    with pytest.raises(SandboxFailure, match="not permitted to log in") as caught:
        open_log(tmp_path, address).append(entry())

    assert "wr0ng" not in "".join(traceback.format_exception(caught.value))


def test_an_option_that_there_is_not_is_said_without_the_address(server, tmp_path):
    address = DatabaseAddress("postgresql:///log?nonsense=s3cret")

    with pytest.raises(UsageError, match="not an address of PostgreSQL") as caught:
        open_log(tmp_path, address).append(entry())

    assert "s3cret" not in "".join(traceback.format_exception(caught.value))


def test_without_the_package_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)

    with pytest.raises(UsageError, match=r"pip install 'windtunnel\[postgresql\]'"):
        open_log(tmp_path, DatabaseAddress("postgresql:///log")).append(entry())


@pytest.mark.parametrize(("statements", "word"), [
    (["CREATE SCHEMA windtunnel", "CREATE TABLE windtunnel.theirs (a integer)"], "of another program"),
    (["CREATE SCHEMA windtunnel", "CREATE TABLE windtunnel.audit_shape (version integer)", "INSERT INTO windtunnel.audit_shape VALUES (99)"],
     "of a newer Windtunnel"),
    (["CREATE SCHEMA windtunnel", "CREATE TABLE windtunnel.audit_shape (version integer)"], "is damaged")])
def test_a_foreign_a_newer_and_a_damaged_schema_are_refused_and_stay(server, address, server_log, statements, word):
    for statement in statements:
        server.execute(statement, address=address.secret)
    tables = "SELECT relname FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname = 'windtunnel'"
    before = server.execute(tables, address=address.secret)

    with pytest.raises(SandboxFailure, match=word):
        server_log.append(entry())

    assert server.execute(tables, address=address.secret) == before


def test_an_empty_schema_that_was_made_for_us_is_used(server, address, server_log):
    server.execute("CREATE SCHEMA windtunnel", address=address.secret)

    assert server_log.append(entry()).seq == 0


def test_a_server_without_fsync_is_refused(own_server, own_log):
    own_server.execute("ALTER SYSTEM SET fsync = off")
    try:
        own_server.tell("stop")
        own_server.tell("start")
        with pytest.raises(SandboxFailure, match="set fsync = on"):
            own_log.append(entry())
    finally:
        own_server.execute("ALTER SYSTEM RESET fsync")
        own_server.tell("stop")
        own_server.tell("start")


def test_a_server_whose_commits_do_not_wait_waits_for_ours(server, server_log, address):
    server.execute(f"ALTER DATABASE {str(address).rpartition('/')[2]} SET synchronous_commit = off")
    filled(server_log, 1)

    assert live(server_log).server.sync == "on"
    server.execute(f"ALTER DATABASE {str(address).rpartition('/')[2]} RESET synchronous_commit")


def test_a_user_of_few_rights_may_write_and_one_of_none_is_told(server, server_log, address, tmp_path):
    filled(server_log, 2)
    server.execute("DROP ROLE IF EXISTS writer; CREATE ROLE writer LOGIN", address=address.secret)
    mine = DatabaseAddress(address.secret.replace("windtunnel@", "writer@"))
    refused = open_log(tmp_path / "refused", mine)
    try:
        with pytest.raises(SandboxFailure, match="give its user the right to use the schema windtunnel"):
            refused.append(entry())
        server.execute("GRANT USAGE ON SCHEMA windtunnel TO writer; GRANT SELECT ON ALL TABLES IN SCHEMA windtunnel TO writer",
                       address=address.secret)
        with pytest.raises(SandboxFailure, match=r"GRANT INSERT ON windtunnel\.audit_records"):
            refused.begin(entry(outcome="begun"))
        server.execute("GRANT INSERT ON ALL TABLES IN SCHEMA windtunnel TO writer", address=address.secret)
        refused.append(entry(), wait=False)
        live(refused).wait()
        assert refused.size == 3
    finally:
        refused.close()
        server.execute("DROP OWNED BY writer; DROP ROLE writer", address=address.secret)


def test_who_is_held_up_by_another_writer_is_told(server_log, address, monkeypatch):
    monkeypatch.setattr(postgres, "_SETTINGS", ("SET lock_timeout = '50ms'",))
    filled(server_log, 1)
    with psycopg.connect(address.secret) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s, 0)", (_LOCK,))

        with pytest.raises(SandboxFailure, match="another process held it"):
            server_log.append(entry())

    assert server_log.append(entry()).seq == 1


def test_a_connection_that_the_server_ended_is_made_anew(server, server_log):
    filled(server_log, 1)
    server.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'windtunnel'")

    assert (server_log.append(entry()).seq, server_log.size) == (1, 2)


def test_records_are_found_by_their_id_through_an_index(server_log, server, address):
    filled(server_log, 200)
    server.execute("ANALYZE windtunnel.audit_records", address=address.secret)
    from windtunnel.store.audit.filters import condition
    from windtunnel.store.audit.postgres_shelf import DIALECT

    where, values = condition(AuditQuery(id="0123456789abcdef"), DIALECT)
    with psycopg.connect(address.secret) as connection:
        connection.execute("SET enable_seqscan = off")
        plan = str(connection.execute(f"EXPLAIN SELECT seq FROM windtunnel.audit_records WHERE {where}", values).fetchall())

    assert "audit_by_id" in plan
    assert "audit_by_subject" in plan


def test_letters_that_the_server_cannot_hold_are_kept_all_the_same(server_log):
    made = server_log.append(entry(actor=HOSTILE, project=HOSTILE, details={HOSTILE.replace("\ud800", ""): HOSTILE}))

    assert server_log.get(0) == made
    assert live(server_log).blob(HOSTILE) is None


def test_the_server_is_gone_with_the_process_that_started_it(server, tmp_path):
    import subprocess

    script = ("import os, signal, sys\nsys.path.insert(0, sys.argv[1])\nfrom postgres_server import PostgresServer\n"
              "made = PostgresServer()\nprint(made.folder, made._keeper.pid, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)\n")
    done = subprocess.run([sys.executable, "-c", script, str(Path(__file__).parent)], capture_output=True, text=True, timeout=SECONDS, check=False)
    folder, keeper = done.stdout.split()
    until = time.monotonic() + SECONDS
    while Path(folder).exists() and time.monotonic() < until:
        threading.Event().wait(0.05)

    assert (Path(folder).exists(), Path(f"/proc/{keeper}/cmdline").exists() and Path(f"/proc/{keeper}/cmdline").read_bytes() != b"") == (False, False)
