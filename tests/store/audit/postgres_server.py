"""A PostgreSQL server of the tests' own: private, on a socket, gone with whoever started it.

Run as a script it is the keeper: it makes and starts the server, obeys one word a line, and when its input ends, however
that came about, it ends the server and removes all of it.
"""

import contextlib
import ctypes
import itertools
import json
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))


def _missing():
    if not PROGRAMS:
        return "PostgreSQL is not installed (apt-get install postgresql)"
    try:
        pwd.getpwuid(os.geteuid())
    except KeyError:
        return f"PostgreSQL makes no server for a user without a name (uid {os.geteuid()})"
    return ""


MISSING = _missing()
_START_SECONDS = 60
_USER = "windtunnel"
_ROOM_BYTES = 1024**3
_SETTINGS = {"listen_addresses": "", "shared_buffers": "16MB", "max_connections": "60", "max_wal_size": "64MB", "autovacuum": "off"}
_numbers = itertools.count()


class PostgresServer:
    """One server; each log has a database of its own in it."""

    def __init__(self):
        self._keeper = subprocess.Popen([sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        told = self._keeper.stdout.readline()
        if not told:
            raise RuntimeError("the server did not start")
        self.folder = json.loads(told)
        self._free = []

    def address(self, database="postgres", **options):
        more = "".join(f"&{name}={value}" for name, value in options.items())
        return f"postgresql://{_USER}@/{database}?host={self.folder}{more}"

    def fresh(self):
        """The address of an empty database; one that was given back, where there is one: a new one is 300 files."""
        if self._free:
            address = self._free.pop()
            self.execute("DROP SCHEMA IF EXISTS windtunnel CASCADE", address=address)
            return address
        name = f"log_{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.address(name)

    def give_back(self, address):
        self._free.append(address)

    def execute(self, statement, values=None, *, address=None):
        import psycopg

        with psycopg.connect(address or self.address(), autocommit=True) as connection:
            cursor = connection.execute(statement, values)
            return cursor.fetchall() if cursor.description else None

    def tell(self, word):
        """``kill`` (no warning), ``stop`` (in order) or ``start``; returns when it is done."""
        self._keeper.stdin.write(f"{word}\n")
        self._keeper.stdin.flush()
        return json.loads(self._keeper.stdout.readline())

    def close(self):
        self._keeper.stdin.close()
        self._keeper.wait(60)
        self._keeper.stdout.close()


class _Keeper:
    def __init__(self):
        # PostgreSQL refuses to run as root.
        names = {one.pw_name: one for one in pwd.getpwall()}
        self.owner = (names.get("postgres") or names["nobody"]) if os.geteuid() == 0 else pwd.getpwuid(os.geteuid())
        self.folder = Path(tempfile.mkdtemp(prefix="wt-pg-", dir=_ground()))
        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER
        os.chown(self.folder, self.owner.pw_uid, self.owner.pw_gid)
        self.process = None
        self.said = (self.folder / "log").open("ab")

    def _run(self, *words):
        return subprocess.Popen(
            [str(PROGRAMS[-1].with_name(words[0])), *words[1:]], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=self.said, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}, preexec_fn=self._become)  # noqa: PLW1509 -- the keeper has one thread

    def _become(self):
        os.setsid()
        if os.geteuid() == 0:
            os.setgroups([])
            os.setgid(self.owner.pw_gid)
            os.setuid(self.owner.pw_uid)
        # After the change of user, which clears it: the server ends with this keeper, whoever ends that.
        ctypes.CDLL(None).prctl(1, signal.SIGQUIT, 0, 0, 0)

    def make(self):
        if self._run("initdb", "-D", str(self.folder / "data"), "-U", _USER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N").wait(120):
            raise RuntimeError((self.folder / "log").read_text())

    def start(self):
        settings = {**_SETTINGS, "unix_socket_directories": str(self.folder)}
        self.process = self._run("postgres", "-D", str(self.folder / "data"), *(word for name, value in settings.items() for word in ("-c", f"{name}={value}")))
        until = time.monotonic() + _START_SECONDS
        while self._run("pg_isready", "-h", str(self.folder), "-t", "1").wait(30):
            if self.process.poll() is not None or time.monotonic() > until:
                raise RuntimeError((self.folder / "log").read_text())
            time.sleep(0.05)

    def stop(self):
        self._end(signal.SIGINT)

    def kill(self):
        self._end(signal.SIGKILL)

    def _end(self, number):
        if self.process is None:
            return
        ended, self.process = self.process, None
        children = Path(f"/proc/{ended.pid}/task/{ended.pid}/children")
        below = [int(pid) for pid in children.read_text().split()] if number == signal.SIGKILL and children.exists() else []
        for pid in (ended.pid, *below):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)
        ended.wait(60)
        # A new server refuses to begin while a child of the old one is still there; they fall to this process.
        with contextlib.suppress(ChildProcessError):
            while os.waitpid(-1, 0):
                pass

    def close(self):
        self._end(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


def _ground():
    """In memory where there is room: each test waits for the disk many times, and none of them cuts the power."""
    memory = Path("/dev/shm")
    return memory if memory.is_dir() and os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM_BYTES else None


def _tell(word):
    sys.stdout.write(f"{json.dumps(word)}\n")
    sys.stdout.flush()


def _keep():
    keeper = _Keeper()
    try:
        keeper.make()
        keeper.start()
        _tell(str(keeper.folder))
        for line in sys.stdin:
            getattr(keeper, {"kill": "kill", "stop": "stop", "start": "start"}[line.strip()])()
            _tell(line.strip())
    finally:
        keeper.close()


if __name__ == "__main__":
    _keep()
