"""Details of the process level, each with real sandboxes."""

import gc
import os
import re
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from windtunnel.core.effects import BlockedCall
from windtunnel.core.limits import Limits
from windtunnel.core.result import Reason
from windtunnel.sandbox.bubblewrap import Bubblewrap

EXIT_THREAD = 93 if os.uname().machine == "aarch64" else 60


@pytest.fixture
def without():
    """A sandbox with one protection taken away."""
    made = []

    def make(name):
        made.append(Bubblewrap(pool_size=0, **{name: False}))
        return made[-1]

    yield make
    for sandbox in made:
        sandbox.close()


def told(result):
    return result.exit_code, result.reason, result.stdout


def without_addresses(text):
    return re.sub("0x[0-9a-f]+", "0x", text)


def open_descriptors():
    return len(list(Path("/proc/self/fd").iterdir()))


# --- what was enforced ---

def enforced(result, sandbox, *, by):
    (grown,) = sandbox._stems.values()
    held = {f"{name} namespace": "own" for name in ("user", "mount", "process", "ipc", "host name", "cgroup")}
    held |= {"network": "none", "root": "minimal, read-only", "host user": f"uid {grown.stem.user.uid}",
             "capabilities": "none", "no new privileges": "yes", "system calls": "allow-list", "memory": by,
             "processes": by if "cgroup" in by else "rlimit per user namespace", "wall time": "supervisor",
             "disk": "tmpfs size", "files": "tmpfs inodes", "open files": "rlimit", "output": "supervisor"}
    if grown.stem.landlock and "landlock" in result.enforced:
        held["landlock"] = f"version {grown.stem.landlock}"
    return held | (dict.fromkeys(("cores", "cpu weight", "swap"), by) if "cgroup" in by else {})


def test_the_list_of_what_was_enforced_is_exact(sandbox, job):
    result = sandbox.run(job("print(1)"))

    by = f"cgroup v{sandbox._groups.version}" if sandbox._groups else "supervisor"
    (grown,) = sandbox._stems.values()
    assert result.enforced == enforced(result, sandbox, by=by)
    assert ("landlock" in result.enforced) == bool(grown.stem.landlock)


def test_without_landlock_it_is_not_listed_and_the_other_walls_stand(without, job):
    sandbox = without("landlock")

    result = sandbox.run(job("open('/usr/bin/planted', 'w')"))

    assert "landlock" not in result.enforced
    assert "Read-only file system" in result.stderr


def test_without_groups_the_supervisor_holds_what_it_can_and_says_so(without, job):
    sandbox = without("groups")

    result = sandbox.run(job("data = b'x' * (200 << 20)\nimport time; time.sleep(5)", limits=Limits(memory_bytes=64 << 20)))

    assert result.enforced == enforced(result, sandbox, by="supervisor")
    assert (result.reason, result.exit_code) == (Reason.OUT_OF_MEMORY, 137)


def test_a_processor_limit_is_listed_only_when_there_is_one(sandbox, job):
    results = [sandbox.run(job("print(1)", limits=Limits(cpu_seconds=seconds))) for seconds in (None, 5.0)]

    assert ["cpu time" in result.enforced for result in results] == [False, True]


CALLS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def refused(answer):
    print(answer, os.strerror(ctypes.get_errno()))
refused(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None))
refused(libc.unshare(0x10000000))
refused(libc.ptrace(0, 0, 0, 0))
refused(libc.ptrace(0, 0, 0, 0))
"""
ALL_REFUSED = "-1 Operation not permitted\n" * 4


def test_refused_calls_are_recorded_by_name_and_count(sandbox, job):
    result = sandbox.run(job(CALLS))

    assert result.stdout == ALL_REFUSED
    assert result.effects.blocked == (
        BlockedCall(name="mount"), BlockedCall(name="unshare"), BlockedCall(name="ptrace", count=2))
    assert result.effects.watched == ("files", "processes", "network", "blocked")


def test_without_the_watcher_the_same_calls_are_refused_and_nothing_is_claimed_to_be_watched(without, job):
    result = without("watch").run(job(CALLS + "import socket\nsocket.socket().connect_ex(('192.0.2.1', 80))"))

    assert result.stdout == ALL_REFUSED
    assert (result.effects.blocked, result.effects.network, result.effects.watched) == ((), (), ("files", "processes"))


# --- how programs end ---

def test_a_program_that_kills_itself_has_exited(sandbox, job):
    result = sandbox.run(job("import os; os.kill(os.getpid(), 9)"))

    assert told(result) == (137, Reason.EXITED, "")


@pytest.mark.parametrize("code", [124, 137, 255])
def test_an_exit_code_that_looks_like_a_limit_is_an_exit(sandbox, job, code):
    result = sandbox.run(job(f"import os; os._exit({code})"))

    assert told(result) == (code, Reason.EXITED, "")


def test_a_program_that_closes_its_output_is_waited_for(sandbox, job):
    result = sandbox.run(job("import os, time\nprint('out', flush=True)\nos.close(1)\ntime.sleep(0.3)\nos._exit(5)"))

    assert told(result) == (5, Reason.EXITED, "out\n")
    assert result.execution_time > 0.25


def test_a_program_that_closes_all_its_streams_is_waited_for(sandbox, job):
    result = sandbox.run(job("import os, time\nos.closerange(0, 1000)\ntime.sleep(0.3)\nos._exit(5)"))

    assert told(result) == (5, Reason.EXITED, "")
    assert result.execution_time > 0.25


def test_a_daemon_left_behind_is_named_and_ended(sandbox, job):
    code = "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(60)\n    os._exit(0)\nos.wait()"

    result = sandbox.run(job(code))

    assert (result.exit_code, len(result.effects.processes_left)) == (0, 1)
    assert result.execution_time < 10


def test_a_daemon_whose_main_thread_has_ended_is_named_and_ended(sandbox, job):
    result = sandbox.run(job(f"""
import ctypes, os, threading, time
if os.fork() == 0:
    os.setsid()
    threading.Thread(target=time.sleep, args=(60,)).start()
    ctypes.CDLL(None).syscall({EXIT_THREAD}, 0)
time.sleep(0.3)
"""))

    assert (result.exit_code, len(result.effects.processes_left)) == (0, 1)


def test_nothing_writes_any_more_when_the_products_are_read(sandbox, job):
    code = f"""
import ctypes, os, threading, time
if os.fork() == 0:
    os.setsid()
    def write():
        for number in range(10**9):
            os.pwrite(file, b"%020d" % number, 0)
    file = os.open("/tmp/build/counter", os.O_CREAT | os.O_WRONLY)
    threading.Thread(target=write).start()
    ctypes.CDLL(None).syscall({EXIT_THREAD}, 0)
time.sleep(0.3)
"""
    seen = []
    run = job(code, command={"build": True})
    harvested = sandbox._result

    def result(*arguments, **options):
        slot = arguments[1]
        descriptor = os.open("build/counter", os.O_RDONLY, dir_fd=slot.folders[0])
        for _ in range(2):
            seen.append(os.pread(descriptor, 20, 0))
            threading.Event().wait(0.05)
        os.close(descriptor)
        return harvested(*arguments, **options)

    sandbox._result = result

    sandbox.run(run)

    assert seen[0] == seen[1]


def test_a_relay_of_forks_does_not_hold_the_run(sandbox, job):
    code = "import os, time\nif os.fork() == 0:\n    while True:\n        if os.fork(): os._exit(0)\ntime.sleep(0.1)"

    result = sandbox.run(job(code))

    assert (result.exit_code, result.reason) == (0, Reason.EXITED)
    assert result.execution_time < 10


# --- what a program may do to its own init ---

@pytest.mark.parametrize("limit", ["NOFILE", "AS", "FSIZE", "NPROC", "STACK", "DATA"])
def test_a_program_cannot_break_the_report_by_limits_set_on_init(sandbox, job, limit):
    result = sandbox.run(job(f"""
import os, resource, time
try:
    resource.prlimit(1, resource.RLIMIT_{limit}, (0, 0))
except PermissionError:
    pass
if os.fork() == 0:
    time.sleep(60)
os._exit(3)
"""))

    assert (result.exit_code, result.reason) == (3, Reason.EXITED)


def test_a_program_cannot_have_its_init_killed_for_its_processor_time(sandbox, job):
    result = sandbox.run(job("""
import os, resource
try:
    resource.prlimit(1, resource.RLIMIT_CPU, (0, 0))
except PermissionError:
    pass
for _ in range(1500):  # orphans, for init to spend time on
    if os.fork() == 0:
        if os.fork() == 0:
            os._exit(0)
        os._exit(0)
    os.wait()
os._exit(3)
"""))

    assert (result.exit_code, result.reason) == (3, Reason.EXITED)


@pytest.mark.parametrize("act", [
    "os.kill(1, 9)", "os.kill(1, 15)", "os.kill(1, 2)", "os.kill(1, 19)", "os.kill(-1, 9)",
    "os.setpriority(os.PRIO_PROCESS, 1, 19)", "open('/proc/1/oom_score_adj', 'w').write('1000')",
    "open('/proc/1/mem', 'r+b')", "os.listdir('/proc/1/fd')",
])
def test_a_program_cannot_silence_its_init(sandbox, job, act):
    result = sandbox.run(job(f"import os\ntry:\n    {act}\nexcept OSError:\n    pass\nos._exit(3)"))

    assert (result.exit_code, result.reason) == (3, Reason.EXITED)


# --- limits ---

def test_a_program_cannot_raise_its_limits(sandbox, job):
    result = sandbox.run(job("""
import resource
for name in ("NOFILE", "NPROC", "FSIZE", "CORE", "MEMLOCK"):
    kind = getattr(resource, f"RLIMIT_{name}")
    soft, hard = resource.getrlimit(kind)
    try:
        resource.setrlimit(kind, (hard + 1, hard + 1))
        print(name, "raised")
    except (ValueError, PermissionError):
        print(name, hard)
""", limits=Limits(open_files=100, processes=20, disk_bytes=1 << 20)))

    nproc = 20 + (64 if sandbox._groups else 1)
    assert result.stdout == f"NOFILE 100\nNPROC {nproc}\nFSIZE 1048576\nCORE 0\nMEMLOCK 1048576\n"


FORKS = """
import os, time
made = 0
try:
    while made < 300:
        if os.fork() == 0:
            time.sleep(60)
        made += 1
except BlockingIOError:
    pass
print(made, flush=True)
time.sleep(0.3)  # without control groups the count is looked at, not told
raise SystemExit(made < 300)
"""


def test_processes_are_limited_without_groups_too(without, job):
    result = without("groups").run(job(FORKS, limits=Limits(processes=20)))

    assert told(result)[:2] == (1, Reason.TOO_MANY_PROCESSES)
    assert 15 <= int(result.stdout) <= 20


def test_processes_are_limited(sandbox, job):
    result = sandbox.run(job(FORKS, limits=Limits(processes=20)))

    assert told(result)[:2] == (1, Reason.TOO_MANY_PROCESSES)
    assert 15 <= int(result.stdout) <= 20


def test_fifty_megabytes_of_output_are_bounded_and_counted(sandbox, job):
    code = "import sys\nfor _ in range(800):\n    sys.stdout.buffer.write(bytes(65536))"

    result = sandbox.run(job(code, limits=Limits(output_bytes=1000)))

    assert (result.exit_code, result.stdout_dropped) == (0, 52_428_800 - 1000)
    assert len(result.stdout_bytes) < 1100


# --- places ---

def test_an_interpreter_below_tmp_works_and_is_no_effect_of_the_run(sandbox, job, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    plain = job("import sys; print(sys.prefix); open('/tmp/mine', 'w')")
    python = str(tmp_path / "venv/bin/python")
    toolchain = replace(plain.toolchain, run=(python, "{source}"), paths=(str(tmp_path / "venv"), *plain.toolchain.paths))
    run = replace(plain, toolchain=toolchain, command=replace(plain.command, argv=(python, "/sandbox/main.py")))

    results = [sandbox.run(run) for _ in range(5)]

    assert {result.stdout for result in results} == {f"{tmp_path / 'venv'}\n"}, results[0].stderr
    assert [[each.path for each in result.effects.files] for result in results] == [["/tmp/mine"]] * 5


def test_an_interpreter_below_tmp_cannot_be_changed(sandbox, job, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(tmp_path / "venv")], check=True)
    (tmp_path / "venv").chmod(0o777)
    plain = job(f"open({str(tmp_path / 'venv/planted')!r}, 'w')")
    toolchain = replace(plain.toolchain, paths=(str(tmp_path / "venv"), *plain.toolchain.paths))

    result = sandbox.run(replace(plain, toolchain=toolchain))

    assert "Read-only file system" in result.stderr
    assert not (tmp_path / "venv/planted").exists()


def test_a_workspace_of_the_callers_own_files_can_be_changed_inside_and_stays_as_it_was(sandbox, job, tmp_path):
    (tmp_path / "private").write_text("before")
    (tmp_path / "private").chmod(0o600)
    (tmp_path / "sub").mkdir(mode=0o700)
    code = """
import os
print(open('private').read(), os.stat('private').st_uid)
open('private', 'a').write(' and after')
open('sub/new', 'w').write('new')
os.remove('private')
print(sorted(os.listdir('.')))
"""

    result = sandbox.run(job(code, command={"workspace": str(tmp_path), "cwd": "/workspace"}))

    assert (result.stdout, result.stderr) == ("before 1000\n['sub']\n", "")
    assert (tmp_path / "private").read_text() == "before"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["private", "sub"]


def test_a_link_in_the_workspace_leads_nowhere_outside(sandbox, job, tmp_path):
    (tmp_path / "secret").write_text("secret")
    (tmp_path / "work").mkdir()
    (tmp_path / "work/link").symlink_to(tmp_path / "secret")

    result = sandbox.run(job("open('link').read()", command={"workspace": str(tmp_path / "work"), "cwd": "/workspace"}))

    assert "No such file or directory" in result.stderr


def test_two_languages_run_at_once(sandbox, job, sh):
    results = {}

    def run(name, work):
        results[name] = told(sandbox.run(work))

    threads = [threading.Thread(target=run, args=("python", job("import time; time.sleep(0.3); print('python')"))),
               threading.Thread(target=run, args=("sh", sh("sleep 0.3; echo sh")))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == {"python": (0, Reason.EXITED, "python\n"), "sh": (0, Reason.EXITED, "sh\n")}


def test_runs_leave_no_descriptor_open(sandbox, job):
    sandbox.run(job("print(1)"))
    sandbox.flush()
    gc.collect()
    before = open_descriptors()

    for _ in range(5):
        sandbox.run(job("print(1)"))
    sandbox.flush()

    assert open_descriptors() <= before


# --- an interpreter that was already loaded is like a fresh one ---

@pytest.mark.parametrize("code", [
    "raise SystemExit", "raise SystemExit(3)", "raise SystemExit('said')", "raise SystemExit(-1)", "raise SystemExit(True)",
    "raise SystemExit(2.5)", "raise ValueError('x')", "raise KeyboardInterrupt", "def broken(:", "1/0",
    "import sys\nsys.excepthook = lambda *_: 1 / 0\nraise ValueError('x')",
    "import sys\nclass Broken:\n    def write(self, text): pass\n    def flush(self): raise RuntimeError\nsys.stdout = Broken()",
    "import atexit\natexit.register(lambda: 1 / 0)\nprint('before')",
    "import threading\nthreading.Thread(target=lambda: print('thread')).start()",
    "import os\nprint('unflushed', end='')\nos._exit(4)",
    "import sys\nsys.stdout.close()", "import sys\nsys.stdout = None\nsys.stderr = None\nraise ValueError",
    "import sys\nprint(sys.argv, __name__, __file__, sys.path[0])",
    "class Last:\n    def __del__(self): print('gone')\nlast = Last()",
    "import os\nos.kill(os.getpid(), 15)",
    "try:\n    raise ValueError('one')\nexcept ValueError as one:\n    raise KeyError('two') from one",
])
def test_a_loaded_interpreter_answers_as_a_fresh_one(sandbox, job, code):
    fresh, loaded = (sandbox.run(job(code, warm=warm)) for warm in (False, True))

    assert (*told(loaded), without_addresses(loaded.stderr)) == (*told(fresh), without_addresses(fresh.stderr))
