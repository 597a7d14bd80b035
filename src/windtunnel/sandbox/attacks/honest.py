"""Honest programs that must work inside the walls as they do outside, with exactly what they print."""

from __future__ import annotations

from dataclasses import dataclass

from windtunnel.core.result import ExecutionResult
from windtunnel.sandbox.attacks.base import Verdict, held, not_held


@dataclass(frozen=True, slots=True, kw_only=True)
class Honest:
    """One program, and its whole answer."""

    row: str
    name: str
    code: str
    stdout: str
    exit_code: int = 0
    stderr: str = ""
    """Exactly its standard error, with the folder of the program left out of paths."""


def judge(program: Honest, result: ExecutionResult) -> Verdict:
    """Held when the answer is the expected one to the last character."""
    found = (result.stdout, _without_folder(result.stderr), result.exit_code, str(result.reason))
    expected = (program.stdout, program.stderr, program.exit_code, "exited")
    if found == expected:
        return held(f"exit code {result.exit_code} and {len(result.stdout)} characters, as expected")
    return not_held(f"expected {expected!r}, found {found!r}"[:400])


def _without_folder(text: str) -> str:
    lines = (line.partition('File "') for line in text.splitlines(keepends=True))
    return "".join(before + mark + (rest.rpartition("/")[2] if mark else rest) for before, mark, rest in lines)


_POOL = """\
import multiprocessing
def square(number):
    return number * number
def produce(queue):
    queue.put("from a child")
if __name__ == "__main__":
    with multiprocessing.Pool(2) as pool:
        print(pool.map(square, [1, 2, 3]))
    queue = multiprocessing.Queue()
    child = multiprocessing.Process(target=produce, args=(queue,))
    child.start()
    print(queue.get())
    child.join()
"""

_THREADS = """\
import threading
lock, total = threading.Lock(), 0
def add():
    global total
    for _ in range(1000):
        with lock:
            total += 1
threads = [threading.Thread(target=add) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(total)
"""

_LOOPBACK = """\
import socket, threading
server = socket.create_server(("127.0.0.1", 0))
def answer():
    with server.accept()[0] as peer:
        peer.sendall(peer.recv(100).upper())
thread = threading.Thread(target=answer)
thread.start()
with socket.create_connection(server.getsockname()) as client:
    client.sendall(b"hello")
    print(client.recv(100))
thread.join()
server.close()
"""

_DEVICES = """\
import os
with open("/dev/null", "w") as null:
    print(null.write("gone"))
print(open("/dev/null").read() == "", open("/dev/zero", "rb").read(4), len(open("/dev/urandom", "rb").read(16)))
print(len(os.urandom(8)))
"""

_TEMPORARY = """\
import os, tempfile
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "file")
    with open(path, "w") as file:
        file.write("kept")
    print(open(path).read())
with tempfile.NamedTemporaryFile() as file:
    print(os.path.exists(file.name))
"""

_SUBPROCESS = """\
import subprocess
print(subprocess.run(["ls", "-d", "/"], capture_output=True, text=True).stdout.strip())
print(subprocess.run(["sh", "-c", "echo $((6 * 7)); exit 3"], capture_output=True, text=True))
"""

_SQLITE = """\
import os, sqlite3, tempfile
path = os.path.join(tempfile.mkdtemp(), "data.db")
with sqlite3.connect(path) as connection:
    connection.execute("create table t (a)")
    connection.executemany("insert into t values (?)", [(1,), (2,)])
print(connection.execute("select sum(a) from t").fetchone())
connection.close()
"""

_ASYNCIO = """\
import asyncio
async def main():
    process = await asyncio.create_subprocess_exec("sh", "-c", "echo async", stdout=asyncio.subprocess.PIPE)
    print((await process.communicate())[0], process.returncode)
asyncio.run(main())
"""

_SIGNALS = """\
import os, signal
signal.signal(signal.SIGUSR1, lambda *_: print("handled"))
os.kill(os.getpid(), signal.SIGUSR1)
signal.signal(signal.SIGALRM, lambda *_: print("alarm"))
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
"""

_FORK = """\
import os
pid = os.fork()
if pid == 0:
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""

_SHARED_MEMORY = """\
from multiprocessing import shared_memory
block = shared_memory.SharedMemory(create=True, size=16)
block.buf[:5] = b"hello"
other = shared_memory.SharedMemory(block.name)
print(bytes(other.buf[:5]))
other.close()
block.close()
block.unlink()
"""

_PTY = """\
import os, pty
main, side = pty.openpty()
print(os.isatty(side))
os.write(side, b"line")
print(os.read(main, 4))
"""

_MMAP = """\
import mmap, tempfile
memory = mmap.mmap(-1, 4096)
memory[:2] = b"ok"
print(memory[:2])
with tempfile.TemporaryFile() as file:
    file.write(b"filed")
    file.flush()
    print(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)[:])
"""

_LOCALE = """\
import datetime, locale
locale.setlocale(locale.LC_ALL, "C")
print(datetime.datetime.fromtimestamp(0, datetime.timezone.utc).strftime("%A"), locale.localeconv()["decimal_point"])
try:
    import zoneinfo
    print(datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo("UTC")).isoformat())
except zoneinfo.ZoneInfoNotFoundError:
    print("2024-07-01T00:00:00+00:00")
"""

_ATEXIT = """\
import atexit
class Loud:
    def __del__(self):
        print("deleted")
kept = Loud()
atexit.register(print, "at exit")
print("body")
"""

_DAEMON = """\
import threading
threading.Thread(target=threading.Event().wait, daemon=True).start()
print("over")
"""

_TRACEBACK = """\
# A comment, so that the line number is not the first.
raise ValueError("no such thing") from KeyError("a cause")
"""

_TRACEBACK_TEXT = """\
KeyError: 'a cause'

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "main.py", line 2, in <module>
    raise ValueError("no such thing") from KeyError("a cause")
ValueError: no such thing
"""

HONEST = (
    Honest(row="H01", name="multiprocessing pool and queue", code=_POOL, stdout="[1, 4, 9]\nfrom a child\n"),
    Honest(row="H02", name="threads", code=_THREADS, stdout="8000\n"),
    Honest(row="H03", name="own loopback", code=_LOOPBACK, stdout="b'HELLO'\n"),
    Honest(row="H04", name="null, zero and urandom", code=_DEVICES, stdout="4\nTrue b'\\x00\\x00\\x00\\x00' 16\n8\n"),
    Honest(row="H05", name="temporary files", code=_TEMPORARY, stdout="kept\nTrue\n"),
    Honest(row="H06", name="subprocesses", code=_SUBPROCESS, stdout=(
        "/\nCompletedProcess(args=['sh', '-c', 'echo $((6 * 7)); exit 3'], returncode=3, "
        "stdout='42\\n', stderr='')\n")),
    Honest(row="H07", name="sqlite", code=_SQLITE, stdout="(3,)\n"),
    Honest(row="H08", name="asyncio subprocess", code=_ASYNCIO, stdout="b'async\\n' 0\n"),
    Honest(row="H09", name="ssl context", code="import ssl\nprint(type(ssl.create_default_context()).__name__)\n",
           stdout="SSLContext\n"),
    Honest(row="H10", name="signal handlers and alarm", code=_SIGNALS, stdout="handled\nalarm\n"),
    Honest(row="H11", name="fork and wait", code=_FORK, stdout="7\n"),
    Honest(row="H12", name="shared memory", code=_SHARED_MEMORY, stdout="b'hello'\n"),
    Honest(row="H13", name="pseudo-terminal", code=_PTY, stdout="True\nb'line'\n"),
    Honest(row="H14", name="mmap", code=_MMAP, stdout="b'ok'\nb'filed'\n"),
    Honest(row="H15", name="locale and time zones", code=_LOCALE, stdout="Thursday .\n2024-07-01T00:00:00+00:00\n"),
    Honest(row="H16", name="ctypes", code="import ctypes\nprint(ctypes.CDLL(None).abs(-3))\n", stdout="3\n"),
    Honest(row="H17", name="own status", stdout="Name\n",
           code="print(open('/proc/self/status').readline().split(':')[0])\n"),
    Honest(row="H18", name="exit code", code="raise SystemExit(42)\n", stdout="", exit_code=42),
    Honest(row="H19", name="exit with text", code="import sys\nsys.exit('sorry')\n",
           stdout="", stderr="sorry\n", exit_code=1),
    Honest(row="H20", name="at exit and deletion", code=_ATEXIT, stdout="body\nat exit\ndeleted\n"),
    Honest(row="H21", name="daemon thread at exit", code=_DAEMON, stdout="over\n"),
    Honest(row="H22", name="unicode output", code="print('\\u00e9\\u4e16\\U0001f600')\n",
           stdout="\u00e9\u4e16\U0001f600\n"),
    Honest(row="H23", name="traceback", code=_TRACEBACK, stdout="", stderr=_TRACEBACK_TEXT, exit_code=1),
)
