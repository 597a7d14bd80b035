"""The restricted level, started as root and as an ordinary user; what holds is decided on the host's side."""

import contextlib
import ctypes
import functools
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import uuid
from pathlib import Path

import pytest

import windtunnel
from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.core.language import Toolchain
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.ports import Job, Network
from windtunnel.core.result import Command, Level
from windtunnel.languages import python
from windtunnel.sandbox.restricted import Facts, Private, Restricted, facts

SOURCE = str(Path(windtunnel.__file__).parents[1])
ORDINARY = 54321
USERS = ("root", "ordinary") if os.geteuid() == 0 else ("ordinary",)
FREE = frozenset({"landlock", "seccomp"})

DRIVER = """
import json, sys
from dataclasses import replace
from windtunnel.core.language import Toolchain
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Command
from windtunnel.languages import python
from windtunnel.sandbox.restricted import Restricted, facts

order = json.loads(sys.stdin.readline())
known = replace(facts(), landlock=order["version"]) if order["version"] else None
sandbox = Restricted(facts=known, **{wall: False for wall in order["without"]})
argv = order["argv"] or [sys.executable, "/sandbox/main.py"]
job = Job(
    command=Command(argv=tuple(argv), files={"main.py": order["code"].encode()}, env={"PATH": "/usr/bin:/bin"}),
    limits=Limits(**{"wall_seconds": 20.0} | order["limits"]), language=python.LANGUAGE,
    toolchain=Toolchain(run=(sys.executable, "{source}"), paths=tuple(order["paths"])), read_only=order["read_only"],
    on_stdout=(lambda data: (sys.stderr.write(data.decode()), sys.stderr.flush())) if order["live"] else None)
result = sandbox.run(job)
print(json.dumps({
    "exit_code": result.exit_code, "reason": result.reason, "stdout": result.stdout, "stderr": result.stderr,
    "enforced": dict(result.enforced), "level": result.level, "dropped": result.stdout_dropped,
    "left": result.effects.processes_left, "files": sorted(one.path for one in result.effects.files),
    "seconds": result.execution_time, "memory": result.usage.memory_peak_bytes}))
sandbox.close()
"""


@functools.cache
def interpreter():
    """One that every user of this machine may run, and what it needs beside the common folders."""
    base = os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)
    for candidate in (base, shutil.which("python3", path="/usr/bin")):
        probe = "import sys; print(sys.version_info >= (3, 11)); print(sys.prefix)"
        with contextlib.suppress(OSError):
            done = subprocess.run([candidate, "-c", probe], capture_output=True, text=True, check=False, env={}, cwd="/", **become("ordinary"))
            if done.stdout.startswith("True"):
                prefix = done.stdout.split()[1]
                return candidate, [] if prefix == "/usr" else [prefix]
    pytest.skip("no Python 3.11 that an ordinary user may run")


def become(user):
    return {"user": ORDINARY, "group": ORDINARY, "extra_groups": []} if user == "ordinary" and os.geteuid() == 0 else {}


def begin(code, *, user, without=(), limits=None, argv=None, read_only=True, version=0, live=False, prefix=()):
    program, paths = interpreter()
    order = {"code": code, "without": sorted(without), "limits": limits or {}, "argv": argv, "read_only": read_only,
             "version": version, "paths": paths, "live": live}
    driver = subprocess.Popen(
        [*prefix, program, "-c", DRIVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
        env={"PYTHONPATH": SOURCE, "PYTHONDONTWRITEBYTECODE": "1", "PATH": "/usr/bin:/bin", "SECRET": "of the supervisor"}, **become(user))
    driver.stdin.write(json.dumps(order).encode() + b"\n")
    driver.stdin.flush()
    return driver


def run(code, **order):
    with begin(code, **order) as driver:
        output, errors = driver.communicate(timeout=60)
    assert driver.returncode == 0, errors.decode()
    return json.loads(output) | {"pid": driver.pid}


class Host:
    """Things on the host that a program should not reach, all belonging to the ordinary user."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="restricted-test-", dir="/tmp"))
        self.canary = self.folder / "canary"
        self.canary.write_text("the canary sings")
        self.canary.chmod(0o644)
        os.utime(self.canary, (1000, 1000))
        if os.geteuid() == 0:
            os.chown(self.folder, ORDINARY, ORDINARY)
            os.chown(self.canary, ORDINARY, ORDINARY)
        self.folder.chmod(0o755)
        self.victim = subprocess.Popen(["sleep", "100"], env={"SECRET": "of the victim"}, **become("ordinary"))
        self.name = uuid.uuid4().hex
        self.key = int(self.name[:7], 16)
        self.tcp = self._listen(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0))
        self.udp = self._listen(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0))
        self.stream = self._listen(socket.AF_UNIX, socket.SOCK_STREAM, str(self.folder / "stream"))
        self.datagram = self._listen(socket.AF_UNIX, socket.SOCK_DGRAM, str(self.folder / "datagram"))
        self.abstract = self._listen(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.name}")
        for path in ("stream", "datagram"):
            (self.folder / path).chmod(0o777)

    @staticmethod
    def _listen(family, kind, address):
        sock = socket.socket(family, kind)
        sock.bind(address)
        if kind == socket.SOCK_STREAM:
            sock.listen()
        sock.setblocking(False)
        return sock

    def values(self):
        return {"CANARY": str(self.canary), "FOLDER": str(self.folder), "VICTIM": self.victim.pid, "NAME": self.name, "KEY": self.key,
                "TCP": self.tcp.getsockname(), "UDP": self.udp.getsockname(), "STREAM": f"{self.folder}/stream", "DATAGRAM": f"{self.folder}/datagram"}

    def reached(self, sock):
        return bool(select.select([sock], [], [], 0)[0])

    def queue_exists(self):
        return ctypes.CDLL(None).msgget(self.key, 0) >= 0

    def close(self):
        self.victim.kill()
        self.victim.wait()
        for sock in (self.tcp, self.udp, self.stream, self.datagram, self.abstract):
            sock.close()
        queue = ctypes.CDLL(None).msgget(self.key, 0)
        if queue >= 0:
            ctypes.CDLL(None).msgctl(queue, 0, None)
        shutil.rmtree(self.folder)


@pytest.fixture
def host():
    made = Host()
    yield made
    made.close()


SETUP = """
import ctypes, os, resource, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
"""
ATTACKS = {
    # name: (code, walls each of which holds it alone, whether the host sees that it was done)
    "read a host file": ("print(open(CANARY).read())", {"landlock"}, lambda host, result: "sings" in result["stdout"]),
    "list a host folder": ("print(os.listdir(FOLDER))", {"landlock"}, lambda host, result: "canary" in result["stdout"]),
    "append to a host file": ("open(CANARY, 'a').write('!')", {"landlock"}, lambda host, _: host.canary.read_text().endswith("!")),
    "make a host file": ("open(FOLDER + '/new', 'w')", {"landlock"}, lambda host, _: (host.folder / "new").exists()),
    "remove a host file": ("os.unlink(CANARY)", {"landlock"}, lambda host, _: not host.canary.exists()),
    "rename a host file": ("os.rename(CANARY, FOLDER + '/new')", {"landlock"}, lambda host, _: not host.canary.exists()),
    "link to a host file": ("os.link(CANARY, os.environ['TMPDIR'] + '/mine'); print('linked')", {"landlock"}, lambda host, result: "linked" in result["stdout"]),
    "truncate a host file": ("os.truncate(CANARY, 0)", {"landlock", "seccomp"}, lambda host, _: host.canary.stat().st_size == 0),
    "change a mode": ("os.chmod(CANARY, 0o600)", {"seccomp"}, lambda host, _: host.canary.stat().st_mode & 0o777 == 0o600),
    "change a mode through a link": (
        "os.symlink(CANARY, os.environ['TMPDIR'] + '/mine'); os.chmod(os.environ['TMPDIR'] + '/mine', 0o600)",
        {"seccomp"}, lambda host, _: host.canary.stat().st_mode & 0o777 == 0o600),
    "change a mode by a folder's descriptor": (
        "os.chmod('canary', 0o600, dir_fd=os.open(FOLDER, os.O_PATH))", {"seccomp"}, lambda host, _: host.canary.stat().st_mode & 0o777 == 0o600),
    "change a mode from a host folder": ("os.chdir(FOLDER); os.chmod('canary', 0o600)", {"seccomp"}, lambda host, _: host.canary.stat().st_mode & 0o777 == 0o600),
    "change a time": ("os.utime(CANARY, (5, 5))", {"seccomp"}, lambda host, _: host.canary.stat().st_mtime == 5),
    "change an attribute": ("os.setxattr(CANARY, 'user.mark', b'1')", {"seccomp"}, lambda host, _: "user.mark" in os.listxattr(host.canary)),
    "watch a host folder": ("print(libc.inotify_add_watch(libc.inotify_init1(0), FOLDER.encode(), 0xFFF))", {"seccomp"}, lambda host, result: result["stdout"] == "1\n"),
    "connect by TCP": ("socket.create_connection(TCP)", {"landlock", "seccomp"}, lambda host, _: host.reached(host.tcp)),
    "send by UDP": ("socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', tuple(UDP))", {"seccomp"}, lambda host, _: host.reached(host.udp)),
    "connect to a socket that has a path": ("socket.socket(socket.AF_UNIX).connect(STREAM)", {"seccomp"}, lambda host, _: host.reached(host.stream)),
    "send from a datagram pair": (
        "socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)[0].sendto(b'x', DATAGRAM)", {"seccomp"}, lambda host, _: host.reached(host.datagram)),
    "connect to an abstract socket": ("socket.socket(socket.AF_UNIX).connect('\\0' + NAME)", {"landlock", "seccomp"}, lambda host, _: host.reached(host.abstract)),
    "signal a host process": ("os.kill(VICTIM, 9)", {"landlock"}, lambda host, _: bool(select.select([os.pidfd_open(host.victim.pid)], [], [], 0.2)[0])),
    "read another's environment": ("print(open(f'/proc/{VICTIM}/environ').read())", {"landlock"}, lambda host, result: "of the victim" in result["stdout"]),
    "read another's command line": ("print(open(f'/proc/{VICTIM}/cmdline').read())", {"landlock"}, lambda host, result: "sleep" in result["stdout"]),
    "list the processes": ("print(os.listdir('/proc'))", {"landlock"}, lambda host, result: f"'{host.victim.pid}'" in result["stdout"]),
    "trace a host process": ("print(libc.ptrace(0x4206, VICTIM, None, None))", {"landlock", "seccomp"}, lambda host, result: result["stdout"] == "0\n"),
    "lower another's limits": ("resource.prlimit(VICTIM, resource.RLIMIT_NOFILE, (7, 7))", {"seccomp"},
                               lambda host, _: "Max open files            7 " in Path(f"/proc/{host.victim.pid}/limits").read_text()),
    "lower another's priority": ("os.setpriority(os.PRIO_PROCESS, VICTIM, 9)", {"seccomp"}, lambda host, _: os.getpriority(os.PRIO_PROCESS, host.victim.pid) == 9),
    "lower everyone's priority": ("os.setpriority(os.PRIO_USER, os.getuid(), 9)", {"seccomp"}, lambda host, _: os.getpriority(os.PRIO_PROCESS, host.victim.pid) == 9),
    "pin another to one processor": ("os.sched_setaffinity(VICTIM, {0})", {"seccomp"}, lambda host, _: os.sched_getaffinity(host.victim.pid) == {0}),
    "leave a message queue": ("libc.msgget(KEY, 0o1666)", {"seccomp"}, lambda host, _: host.queue_exists()),
}


def attack(name, host, **order):
    code = ATTACKS[name][0]
    given = "".join(f"{key} = {value!r}\n" for key, value in host.values().items())
    return run(SETUP + given + code, **order)


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", ATTACKS)
def test_a_program_cannot(name, user, host):
    result = attack(name, host, user=user)

    assert (result["reason"], ATTACKS[name][2](host, result)) == ("exited", False)


@pytest.mark.parametrize("name", ATTACKS)
def test_without_its_walls_a_program_can(name, host):
    result = attack(name, host, user="ordinary", without=ATTACKS[name][1])

    assert (result["reason"], ATTACKS[name][2](host, result)) == ("exited", True)


@pytest.mark.parametrize(("name", "wall"), [(name, wall) for name, (_, walls, _) in ATTACKS.items() if len(walls) > 1 for wall in sorted(walls)])
def test_either_of_two_walls_holds_alone(name, wall, host):
    result = attack(name, host, user="ordinary", without={wall})

    assert ATTACKS[name][2](host, result) is False


@pytest.mark.parametrize("name", ["signal a host process", "connect to an abstract socket", "truncate a host file", "read a host file"])
@pytest.mark.parametrize("version", [1, 3, 5])
def test_an_older_landlock_holds_too(name, version, host):
    result = attack(name, host, user="ordinary", version=version)

    assert (result["enforced"]["landlock"], ATTACKS[name][2](host, result)) == (f"version {version}", False)


def test_where_landlock_cannot_hold_back_signals_none_can_be_sent():
    result = run("import os\nos.kill(os.getpid(), 0)", user="ordinary", version=5)

    assert (result["stderr"].splitlines()[-1], result["enforced"]["signals"]) == (
        "PermissionError: [Errno 1] Operation not permitted", "all refused, by system call filter")


@pytest.mark.parametrize("act", ["fcntl.fcntl(0, fcntl.F_SETOWN, os.getppid())", "fcntl.ioctl(socket.socketpair()[0], 0x8901, struct.pack('i', os.getppid()))"])
@pytest.mark.parametrize(("version", "refused"), [(5, True), (0, False)])
def test_a_descriptor_is_no_way_round_to_a_signal(act, version, refused):
    result = run(f"import fcntl, os, socket, struct\n{act}", user="ordinary", version=version)

    assert result["stderr"].endswith("PermissionError: [Errno 1] Operation not permitted\n") is refused


@pytest.mark.parametrize("user", USERS)
def test_the_supervisor_keeps_its_environment_to_itself(user):
    result = run("import os\nprint(os.environ, open(f'/proc/{os.getppid()}/environ').read())", user=user)

    assert "of the supervisor" not in result["stdout"] + result["stderr"]
    assert "Permission denied" in result["stderr"]


# --- honest programs ---


@pytest.mark.parametrize("user", USERS)
def test_hello_in_python(user):
    result = run("print('hello')", user=user)

    assert (result["exit_code"], result["reason"], result["stdout"], result["stderr"], result["level"]) == (0, "exited", "hello\n", "", "restricted")


@pytest.mark.parametrize("user", USERS)
def test_hello_in_the_shell(user):
    result = run("echo hello | tr a-z A-Z > $TMPDIR/x; cat $TMPDIR/x", user=user, argv=["/bin/sh", "/sandbox/main.py"])

    assert (result["exit_code"], result["stdout"], result["files"]) == (0, "HELLO\n", ["/tmp/x"])


COMPILED = """
import json, os, sys
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Rig
from windtunnel.engine.run import Snippet, run
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.restricted import Restricted

rig = Rig(sandbox=Restricted(), languages=LanguageTable(), history=None, builds=None, caps=Limits(), default_limits=Limits())
result = run(rig, Snippet(code='#include <stdio.h>\\nint main(void) { puts("hello"); return 3; }\\n', language="c"))
print(json.dumps([result.stdout, result.exit_code, [stage.name for stage in result.stages]]))
"""


@pytest.mark.parametrize("user", USERS)
@pytest.mark.skipif(not shutil.which("gcc", path="/usr/bin"), reason="no gcc in /usr/bin")
def test_hello_in_a_compiled_language(user):
    done = subprocess.run([interpreter()[0], "-c", COMPILED], env={"PYTHONPATH": SOURCE, "PATH": "/usr/bin:/bin"},
                          capture_output=True, text=True, check=False, cwd="/", **become(user))

    assert (done.stdout, done.stderr) == ('["hello\\n", 3, ["build", "run"]]\n', "")


HONEST = {
    "threads": "import threading\nthread = threading.Thread(target=print, args=('done',))\nthread.start()\nthread.join()",
    "child processes": "import subprocess\nprint(subprocess.run(['echo', 'done'], capture_output=True, text=True).stdout, end='')",
    "signals to its own child": "import subprocess\nchild = subprocess.Popen(['sleep', '9'])\nchild.kill()\nprint('done' if child.wait() == -9 else '')",
    "an event loop": "import asyncio\nasyncio.run(asyncio.sleep(0))\nprint('done')",
    "a database file": "import sqlite3, os\nbase = sqlite3.connect(os.environ['TMPDIR'] + '/x.db')\nbase.execute('create table t (a)')\nbase.commit()\nprint('done')",
    "its own limits": "import resource\nresource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))\nprint('done')",
    "its own status": "print('done' if 'Name:' in open('/proc/self/status').read() else '')",
    "its output by name": "open('/dev/stdout', 'w').write('done\\n')",
    "devices": "open('/dev/null', 'w').write('x')\nprint('done' if open('/dev/urandom', 'rb').read(2) and open('/dev/zero', 'rb').read(1) == b'\\0' else '')",
    "modes": "import os\nos.chdir(os.environ['TMPDIR'])\nopen('x', 'w').close()\nos.chmod('x', 0o640)\nprint('done' if os.stat('x').st_mode & 0o777 == 0o640 else '')",
    "modes by descriptor": "import os, tempfile\nfile = tempfile.TemporaryFile()\nos.fchmod(file.fileno(), 0o640)\nprint('done' if os.fstat(file.fileno()).st_mode & 0o777 == 0o640 else '')",
    "modes below a folder's descriptor": (
        "import os\nfolder = os.open(os.environ['TMPDIR'], os.O_RDONLY)\nos.close(os.open('x', os.O_CREAT, dir_fd=folder))\n"
        "os.chmod('x', 0o640, dir_fd=folder)\nprint('done' if os.stat('x', dir_fd=folder).st_mode & 0o777 == 0o640 else '')"),
    "times": "import os\nos.chdir(os.environ['TMPDIR'])\nopen('x', 'w').close()\nos.utime('x', ns=(1, 2))\nprint('done' if os.stat('x').st_mtime_ns == 2 else '')",
    "the present time": "import os\nos.chdir(os.environ['TMPDIR'])\nopen('x', 'w').close()\nos.utime('x', (1, 1))\nos.utime('x')\nprint('done' if os.stat('x').st_mtime > 1e9 else '')",
    "truncation": "import os\nos.chdir(os.environ['TMPDIR'])\nopen('x', 'w').write('long')\nos.truncate('x', 1)\nprint('done' if open('x').read() == 'l' else '')",
}


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("name", HONEST)
def test_an_honest_program_has(name, user):
    result = run(HONEST[name], user=user)

    assert (result["stdout"], result["stderr"], result["exit_code"]) == ("done\n", "", 0)


@pytest.mark.parametrize("user", USERS)
def test_a_missing_file_gives_the_error_that_the_kernel_would(user):
    result = run("import os\nos.chmod(os.environ['TMPDIR'] + '/missing', 0o600)", user=user)

    assert result["stderr"].splitlines()[-1].startswith("FileNotFoundError: [Errno 2] No such file or directory")


@pytest.mark.parametrize("act", ["open('/sandbox-place/new', 'w')", "os.chmod('/sandbox-place/main.py', 0o777)", "os.truncate('/sandbox-place/main.py', 0)"])
@pytest.mark.parametrize("user", USERS)
def test_a_read_only_sandbox_cannot_be_changed(act, user):
    result = run("import os, sys\n" + act.replace("'/sandbox-place", "os.path.dirname(sys.argv[0]) + '"), user=user)

    assert (result["exit_code"], "PermissionError" in result["stderr"]) == (1, True)


@pytest.mark.parametrize("user", USERS)
def test_a_writable_sandbox_can_be_changed_and_is_surveyed(user):
    result = run("import os\nopen('new', 'w')\nos.chmod('new', 0o600)", user=user, read_only=False)

    assert (result["stderr"], result["files"]) == ("", ["/sandbox/main.py", "/sandbox/new"])


@pytest.mark.parametrize("user", USERS)
def test_no_descriptor_is_handed_down(user):
    result = run("import os\nfor number in range(3, 900):\n  try:\n    os.fstat(number)\n    print(number)\n  except OSError: pass", user=user)

    assert (result["stdout"], result["stderr"]) == ("", "")


@pytest.mark.parametrize("user", USERS)
def test_a_program_has_no_powers(user):
    result = run("import ctypes, os\nlibc = ctypes.CDLL(None)\n"
                 "sets = (ctypes.c_uint32 * 6)()\nlibc.capget((ctypes.c_uint32 * 2)(0x20080522, 0), sets)\n"
                 "print(libc.prctl(39, 0, 0, 0, 0), libc.prctl(21, 0, 0, 0, 0), list(sets), os.getuid() == 0, os.getsid(0) == os.getpid())", user=user)

    assert result["stdout"] == "1 2 [0, 0, 0, 0, 0, 0] False True\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops its groups")
def test_a_program_of_roots_keeps_nothing_of_roots():
    result = run("import ctypes, os\nbounds = [ctypes.CDLL(None).prctl(23, number, 0, 0, 0) for number in range(9)]\n"
                 "print(os.getgroups(), os.getuid() == os.getgid() >= 61184, sum(bounds))", user="root")

    assert result["stdout"] == "[] True 0\n"


# --- limits ---


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("without", [(), ("groups",)])
def test_memory_is_limited(user, without):
    code = "import time\nkept = []\nwhile True:\n  kept.append(b'x' * 2**20)\n  time.sleep(0.002)"

    result = run(code, user=user, without=without, limits={"memory_bytes": 64 * MIB})

    assert (result["reason"], result["exit_code"]) == ("out_of_memory", 137)


@pytest.mark.parametrize("user", USERS)
def test_memory_is_counted_over_all_processes(user):
    code = "import os, time\nfor _ in range(4):\n  if os.fork() == 0:\n    kept = b'x' * (30 * 2**20)\n    time.sleep(9)\nos.wait()\ntime.sleep(9)"

    result = run(code, user=user, limits={"memory_bytes": 64 * MIB})

    assert result["reason"] == "out_of_memory"


@pytest.mark.parametrize("user", USERS)
def test_one_large_file_is_stopped(user):
    result = run("import os\nopen(os.environ['TMPDIR'] + '/x', 'wb').write(bytes(9 * 2**20))", user=user, limits={"disk_bytes": 4 * MIB})

    assert result["reason"] == "out_of_disk"


@pytest.mark.parametrize("user", USERS)
def test_many_files_are_counted_together(user):
    code = "import os, time\nos.chdir(os.environ['TMPDIR'])\nfor n in range(200):\n  open(str(n), 'wb').write(bytes(2**20))\n  time.sleep(0.01)"

    result = run(code, user=user, limits={"disk_bytes": 8 * MIB})

    assert result["reason"] == "out_of_disk"


@pytest.mark.parametrize("user", USERS)
def test_the_number_of_files_is_limited(user):
    code = "import os, time\nos.chdir(os.environ['TMPDIR'])\nfor n in range(5000):\n  open(str(n), 'wb')\n  time.sleep(0.001)"

    result = run(code, user=user, limits={"files": 100})

    assert result["reason"] == "out_of_disk"


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("without", [(), ("groups",)])
def test_processes_are_limited(user, without):
    code = ("import os, sys, time\ntry:\n  for _ in range(300):\n    if os.fork() == 0: time.sleep(20)\n  print('all')\n"
            "except OSError:\n  time.sleep(0.3)\n  sys.exit(1)")

    result = run(code, user=user, without=without, limits={"processes": 20})

    assert result["reason"] == "too_many_processes"
    assert without or result["stdout"] == ""  # without groups the count is taken now and then, and a burst passes it


@pytest.mark.parametrize("user", USERS)
def test_a_fork_bomb_ends_with_its_run(user):
    token = uuid.uuid4().hex

    result = run("import os\nwhile True:\n  try: os.fork()\n  except OSError: pass", user=user, without=("groups",),
                 argv=[interpreter()[0], "/sandbox/main.py", token], limits={"processes": 30, "wall_seconds": 2.0})

    assert (result["reason"] in ("too_many_processes", "timeout"), alive(token), folders(result["pid"])) == (True, [], [])


@pytest.mark.parametrize("user", USERS)
def test_a_sleeping_program_is_stopped_in_time(user):
    result = run("import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(60)", user=user, limits={"wall_seconds": 0.5})

    assert (result["reason"], result["exit_code"], result["seconds"] < 3) == ("timeout", 124, True)


@pytest.mark.parametrize("user", USERS)
def test_processor_time_is_limited(user):
    result = run("while True: pass", user=user, limits={"cpu_seconds": 0.5})

    assert (result["reason"], result["exit_code"]) == ("cpu_time", 124)


@pytest.mark.parametrize("user", USERS)
def test_output_is_kept_within_bounds(user):
    result = run("import sys\nsys.stdout.write('x' * 3_000_000)", user=user, limits={"output_bytes": 1000})

    assert (result["exit_code"], result["dropped"], len(result["stdout"])) == (0, 2_999_000, 1000 + len("\n[... 2999000 bytes left out ...]\n"))


def test_descriptors_are_limited():
    result = run("import os\nfor _ in range(50): os.dup(0)", user="ordinary", limits={"open_files": 30})

    assert result["stderr"].splitlines()[-1] == "OSError: [Errno 24] Too many open files"


# --- nothing is left behind ---

DAEMON = """
import os, subprocess, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.setsid()
        os.execv(sys.executable, [sys.executable, '-c', 'import signal, sys, time; signal.pthread_sigmask(0, range(1, 32)); sys.stdout.write("ready\\\\n"); sys.stdout.flush(); time.sleep(100)', 'TOKEN'])
    os._exit(0)
os.wait()
"""


def alive(token):
    """Processes of this machine that carry the token, zombies left out."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if token.encode() in path.read_bytes():
                found.append(int(path.parent.name))
    return found


def folders(supervisor):
    """The private folders that a supervisor's runs have now."""
    return list(Path("/tmp").glob(f"windtunnel-{supervisor}-*"))


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("without", [(), ("groups",)])
def test_a_daemon_dies_with_its_program(user, without):
    token = uuid.uuid4().hex

    result = run(DAEMON.replace("TOKEN", token) + "sys.stdout.flush()\ntime.sleep(0.5)", user=user, without=without)

    assert (result["stdout"], result["reason"], len(result["left"]), alive(token)) == ("ready\n", "exited", 1, [])


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("without", [(), ("groups",)])
def test_a_daemon_dies_when_the_time_is_up(user, without):
    token = uuid.uuid4().hex

    result = run(DAEMON.replace("TOKEN", token) + "time.sleep(60)", user=user, without=without, limits={"wall_seconds": 1.0})

    assert (result["stdout"], result["reason"], alive(token)) == ("ready\n", "timeout", [])


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("without", [(), ("groups",)])
def test_a_daemon_dies_within_three_seconds_of_its_supervisor_and_the_folder_is_swept(user, without):
    token = uuid.uuid4().hex
    shut = "import os\nos.makedirs(os.environ['TMPDIR'] + '/a/b')\nos.chmod(os.environ['TMPDIR'] + '/a', 0)\n"
    with begin(shut + DAEMON.replace("TOKEN", token) + "time.sleep(60)", user=user, without=without, live=True) as driver:
        line = driver.stderr.readline()
        (daemon,) = alive(token)
        before, gone = folders(driver.pid), os.pidfd_open(daemon)
        driver.kill()
        died = bool(select.select([gone], [], [], 3)[0])
    os.close(gone)

    run("", user=user)

    assert (line, died, len(before), folders(driver.pid)) == (b"ready\n", True, 1, [])


@pytest.mark.parametrize("user", USERS)
def test_a_killed_init_leaves_nothing(user):
    token = uuid.uuid4().hex
    with begin(DAEMON.replace("TOKEN", token) + "time.sleep(60)", user=user, without=("groups",), live=True) as driver:
        driver.stderr.readline()
        (guard,) = children(driver.pid)
        (init,) = children(guard)
        os.kill(init, signal.SIGKILL)
        output, _ = driver.communicate(timeout=20)
    result = json.loads(output)

    assert (result["reason"], result["exit_code"], alive(token), folders(driver.pid)) == ("killed", 137, [], [])


def children(pid):
    return [int(word) for path in Path(f"/proc/{pid}/task").glob("*/children") for word in path.read_text().split()]


DEEP = """
import os, time
os.chdir(os.environ['TMPDIR'])
os.mkfifo('pipe')
os.symlink('/etc', 'link')
os.umask(0o777)
os.mkdir('shut')
os.umask(0)
for _ in range(DEPTH):
    os.mkdir('d')
    os.chdir('d')
os.chmod('../../d', 0)
"""


@pytest.mark.parametrize("user", USERS)
def test_a_hostile_tree_of_folders_is_removed(user):
    result = run(DEEP.replace("DEPTH", "1500") + "print('deep')", user=user)

    assert result["stderr"] == "", result
    assert (result["stdout"], result["stderr"], folders(result["pid"]), Path("/etc").is_dir()) == ("deep\n", "", [], True)


def test_a_tree_too_deep_to_be_counted_is_stopped_and_removed():
    result = run(DEEP.replace("DEPTH", "3000").replace("os.chmod('../../d', 0)", "time.sleep(9)"), user="ordinary")

    assert (result["reason"], folders(result["pid"])) == ("out_of_disk", [])


# --- a host that forbids namespaces ---


@pytest.mark.skipif(not shutil.which("unshare"), reason="no unshare")
def test_it_works_where_no_namespace_can_be_made():
    script = 'unshare -U true || exit 8; echo 0 > /proc/sys/user/max_user_namespaces; unshare -U true 2>/dev/null && exit 9; exec "$@"'
    forbid = ["unshare", "-Ur", "sh", "-c", script, "sh"]

    result = run("print('hello')", user="ordinary", prefix=forbid)

    assert (result["stdout"], result["level"], result["exit_code"], result["enforced"]["host user"]) == (
        "hello\n", "restricted", 0, "uid 0, an ordinary user outside this user namespace")


# --- refusals, and the shape of things ---


def job(**changes):
    command = Command(argv=("/bin/true",), **changes.pop("command", {}))
    return Job(command=command, limits=Limits(), language=python.LANGUAGE, toolchain=Toolchain(run=("/bin/true",)), **changes)


@pytest.mark.parametrize(("changes", "field"), [
    ({"network": Network(host=True)}, "network"), ({"network": Network(allow_hosts=("example.org",))}, "network"),
    ({"command": {"workspace": "/srv"}}, "workspace"),
    *(({"command": {"files": {name: b""}}}, "files") for name in ("../x", "/etc/x", "a/../../x", "", "a//b", ".", "a\0b")),
])
def test_what_this_level_cannot_do_is_refused(changes, field):
    with pytest.raises(UsageError) as caught:
        Restricted(groups=False).run(job(**changes))

    assert caught.value.field == field


@pytest.mark.parametrize(("offered", "missing"), [
    (Facts(landlock=0, seccomp=True, machine="x86_64"), "no Landlock"), (Facts(landlock=7, seccomp=False, machine="riscv64"), "no system call filter"),
    (Facts(landlock=7, seccomp=True, machine="x86_64", children=False), "children of a process"),
])
def test_a_kernel_without_a_wall_is_refused(offered, missing):
    with pytest.raises(IsolationUnavailable, match=missing):
        Restricted(facts=offered).run(job())


def test_the_facts_are_those_of_this_kernel():
    known = facts()

    assert known == Facts(landlock=max(0, ctypes.CDLL(None).syscall(444, None, 0, 1)), machine=os.uname().machine,
                          seccomp="Seccomp:" in Path("/proc/self/status").read_text(), children=Path("/proc/thread-self/children").exists())


def test_paths_of_the_sandbox_are_found_in_the_private_folder():
    with Private(None) as private:
        texts = ("/sandbox", "/sandbox/a.py", "/tmp/b", "@/tmp/c", "--out=/tmp/d", "/tmp/e:/sandbox/f:/usr", "/sandboxed", "a/tmp", "print('/tmp')")
        located = [private.located(text).replace(private.path, "HERE") for text in texts]

    assert located == ["HERE/sandbox", "HERE/sandbox/a.py", "HERE/tmp/b", "@HERE/tmp/c", "--out=HERE/tmp/d", "HERE/tmp/e:HERE/sandbox/f:/usr",
                       "/sandboxed", "a/tmp", "print('/tmp')"]


@pytest.mark.parametrize(("user", "held"), [
    ("ordinary", {"memory": "supervisor", "processes": "supervisor", "signals": "landlock scope", "network": "none, by system call filter"}),
])
def test_a_result_says_what_held(user, held):
    result = run("", user=user, without=("groups",))

    assert {name: result["enforced"][name] for name in held} == held


def test_what_was_taken_away_is_not_claimed():
    result = run("", user="ordinary", without=FREE)

    assert {"landlock", "root", "system calls", "network", "signals"} & set(result["enforced"]) == set()


def test_runs_from_many_threads_do_not_meet():
    sandbox, results = Restricted(), {}

    def one(number):
        command = Command(argv=("/bin/sh", "/sandbox/main.sh"), files={"main.sh": b"echo $0 > $TMPDIR/x; cat $TMPDIR/x; echo %d" % number})
        results[number] = sandbox.run(Job(command=command, limits=Limits(), language=python.LANGUAGE, toolchain=Toolchain(run=("/bin/sh",))))

    threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sandbox.close()

    assert [results[number].stdout.splitlines()[1] for number in range(4)] == ["0", "1", "2", "3"]
    assert len({result.stdout.splitlines()[0] for result in results.values()}) == 4


FORKED = """
import os, sys
from windtunnel.core.language import Toolchain
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Command
from windtunnel.languages import python
from windtunnel.sandbox.restricted import Restricted

sandbox = Restricted()
def say(word):
    job = Job(command=Command(argv=('/bin/echo', word)), limits=Limits(), language=python.LANGUAGE, toolchain=Toolchain(run=('/bin/echo',)))
    os.write(1, sandbox.run(job).stdout_bytes)
say('before')
child = os.fork()
if not child:
    say('child')
    sandbox.close()
    os._exit(0)
os.waitpid(child, 0)
say('parent')
"""


@pytest.mark.parametrize("user", USERS)
def test_a_forked_child_runs_its_own(user):
    done = subprocess.run([interpreter()[0], "-c", FORKED], env={"PYTHONPATH": SOURCE}, capture_output=True, text=True, check=False, cwd="/", timeout=60, **become(user))

    assert (done.stdout, done.stderr) == ("before\nchild\nparent\n", "")


def test_closing_cancels_a_run_under_way():
    sandbox, begun, results = Restricted(), threading.Event(), []

    def one():
        command = Command(argv=("/bin/sh", "-c", "echo ready; sleep 60"))
        results.append(sandbox.run(Job(command=command, limits=Limits(), language=python.LANGUAGE, toolchain=Toolchain(run=("/bin/sh",)),
                                       on_stdout=lambda _: begun.set())))

    thread = threading.Thread(target=one)
    thread.start()
    begun.wait(timeout=20)
    sandbox.close()
    thread.join()

    assert [(result.reason, result.exit_code, result.level) for result in results] == [("cancelled", 130, Level.RESTRICTED)]
