"""Section R: memory, processes, disk, output and time.

Every act is bounded by itself, a few times the limit at most, so that a run without walls does no harm.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path

from windtunnel.core.limits import KIB, MIB, Limits
from windtunnel.core.result import ExecutionResult, Reason
from windtunnel.sandbox.attacks import processes
from windtunnel.sandbox.attacks.base import Attack, Values, Verdict, held, not_held, unproven
from windtunnel.sandbox.attacks.host import Host
from windtunnel.sandbox.attacks.judges import OUT, astray, collected, look, out_folder, refusals

_ONE_PROCESS = """
kept = []
for _ in range(150):
    kept.append(bytearray(b"x" * 2 ** 20))
say("did", "touched", "150 MiB")
finish()
"""

_MANY_PROCESSES = """
reading, writing = os.pipe()
pids = []
for _ in range(6):
    pids.append(os.fork())
    if pids[-1] == 0:
        kept = bytearray(b"x" * 2 ** 20) * 24
        os.write(writing, b"x")
        time.sleep(3)
        os._exit(0)
os.close(writing)
count = 0
while count < 6 and os.read(reading, 1):
    count += 1
if count == 6:
    say("did", "touched", "6 x 24 MiB at once")
finish()
for pid in pids:
    os.kill(pid, signal.SIGKILL)
"""

_SHARED_MEMORY = """
total = 0
def fill(handle):
    global total
    for _ in range(75):
        total += os.write(handle, b"x" * 2 ** 20)
def shm():
    path = "/dev/shm/" + TOKEN
    handle = os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR)
    os.unlink(path)
    fill(handle)
attempt("shm", shm)
attempt("memfd", lambda: fill(os.memfd_create(TOKEN)))
print(TOKEN, "total", total, flush=True)
finish()
"""

_PIPES = """
total, kept = 0, []
try:
    while total < 150 * 2 ** 20:
        reading, writing = os.pipe2(os.O_NONBLOCK)
        kept += [reading, writing]
        try:
            fcntl.fcntl(writing, 1031, 2 ** 20)
        except OSError:
            pass
        while True:
            try:
                total += os.write(writing, b"x" * 65536)
            except BlockingIOError:
                break
            print(TOKEN, "total", total, flush=True) if total % 2 ** 24 == 0 else None
except OSError as error:
    say("refused", "pipe", errno.errorcode.get(error.errno))
print(TOKEN, "total", total, flush=True)
finish()
"""

_FORKS = """
count = 0
try:
    for _ in range(60):
        if os.fork() == 0:
            time.sleep(10)
            os._exit(0)
        count += 1
except OSError as error:
    say("refused", "fork-" + str(count), errno.errorcode.get(error.errno))
hold()
"""

_THREADS = """
import threading
count = 0
try:
    for _ in range(60):
        threading.Thread(target=time.sleep, args=(10,), daemon=True).start()
        count += 1
except RuntimeError as error:
    say("refused", "thread-" + str(count), error)
hold()
"""

_FILES_OPEN = """
import resource
soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
try:
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
except (OSError, ValueError):
    pass
kept = []
try:
    for _ in range(600):
        kept.append(os.dup(0))
except OSError as error:
    say("refused", "dup-" + str(len(kept)), errno.errorcode.get(error.errno))
hold()
"""

_DISK = """
total = 0
def fill(folder):
    global total
    with open(os.path.join(folder, TOKEN + "-fill"), "xb", buffering=0) as file:
        for _ in range(40):
            total += file.write(b"x" * 2 ** 20)
for folder in ("/tmp", "/var/tmp", "/run", "/sandbox", os.getcwd(), os.path.expanduser("~"), "/"):
    path = os.path.join(folder, TOKEN + "-fill")
    if os.path.isdir(folder) and not os.path.exists(path) and total < 60 * 2 ** 20:
        attempt(folder, lambda: fill(folder))
print(TOKEN, "total", total, flush=True)
for folder in ("/tmp", "/var/tmp", "/run", "/sandbox", os.getcwd(), os.path.expanduser("~"), "/"):
    try:
        os.unlink(os.path.join(folder, TOKEN + "-fill"))
    except OSError:
        pass
finish()
"""

_INODES = """
total = 0
def fill(folder):
    global total
    for number in range(1500):
        os.close(os.open(folder + "/" + str(number), os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        total += 1
made = []
for folder in ("/tmp", "/var/tmp", "/run", "/dev/shm"):
    path = os.path.join(folder, TOKEN + "-many")
    try:
        os.mkdir(path)
        made.append(path)
    except OSError:
        continue
    if total < 1500:
        attempt(folder, lambda: fill(path))
print(TOKEN, "total", total, flush=True)
for path in made:
    for name in os.listdir(path):
        os.unlink(path + "/" + name)
    os.rmdir(path)
finish()
"""

_SPARSE = """
out = "/tmp/" + TOKEN + "-out"
os.makedirs(out)
with open(out + "/sparse", "wb") as file:
    attempt("sparse", lambda: file.truncate(2 ** 40))
finish()
"""

_TALK = """
finish()
for _ in range(50):
    os.write(1, b"x" * 2 ** 20)
"""

_DEAF = """
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
finish()
deadline = time.monotonic() + 5
while time.monotonic() < deadline:
    time.sleep(0.1)
"""

# Without a wall, its child wakes it again after a while.
_STOPPED = """
me = os.getpid()
if os.fork() == 0:
    time.sleep(4)
    os.kill(me, signal.SIGCONT)
    os._exit(0)
finish()
os.kill(me, signal.SIGSTOP)
"""

_DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open("/dev/null", os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        time.sleep(6)
    os._exit(0)
os.wait()
finish()
"""

_OPEN_OUTPUT = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(5)
    os._exit(0)
os.wait()
finish()
"""

_RELAY = """
reading, writing = os.pipe()
def burn(links):
    start = time.process_time()
    while time.process_time() - start < 0.4:
        pass
    if links and os.fork() == 0:
        burn(links - 1)
    if not links:
        os.write(writing, b"x")
    os._exit(0)
if os.fork() == 0:
    burn(5)
os.close(writing)
if os.read(reading, 1):
    say("did", "burned", "2.4 processor seconds")
finish()
"""

_MODEST = """
named("modest")
pids = []
try:
    for _ in range(16):
        pid = os.fork()
        if pid == 0:
            time.sleep(0.5)
            os._exit(0)
        pids.append(pid)
except OSError as error:
    say("refused", "fork-" + str(len(pids)), errno.errorcode.get(error.errno))
else:
    say("did", "forked", "16")
for pid in pids:
    os.waitpid(pid, 0)
finish()
"""

_SMALL = Limits(wall_seconds=5.0, memory_bytes=64 * MIB, processes=32, disk_bytes=16 * MIB, files=500, open_files=256)
_ROOMY = replace(_SMALL, memory_bytes=256 * MIB)
_BRIEF = replace(_SMALL, wall_seconds=1.5)
_GRACE_SECONDS = 2.0
_OUR_GROWTH_BYTES = 16 * MIB


def _memory_stopped(host: Host, result: ExecutionResult) -> Verdict:
    if did := host.said(result).did:
        return not_held(f"touched {did['touched']} under a limit of {host.limits.memory_bytes // MIB} MiB")
    if result.reason is Reason.OUT_OF_MEMORY:
        return held(f"stopped as out of memory; peak {result.usage.memory_peak_bytes} bytes")
    return not_held(f"did not touch it all, yet the reason given is {result.reason}, exit code {result.exit_code}")


def _total(host: Host, result: ExecutionResult) -> int | None:
    """The last total that the program told."""
    lines = [line.split() for line in result.stdout.splitlines()]
    totals = [int(words[2]) for words in lines if words[:2] == [host.token, "total"]]
    return totals[-1] if totals else None


def _memory_counted(host: Host, result: ExecutionResult) -> Verdict:
    total, most = _total(host, result), host.limits.memory_bytes
    if total is not None and total > most:
        return not_held(f"held {total // MIB} MiB under a limit of {most // MIB} MiB")
    if result.reason is Reason.OUT_OF_MEMORY:
        return held("stopped as out of memory")
    return astray(host, result) or held(f"held {total} bytes: {refusals(host, result)}")


def _few_processes(host: Host, result: ExecutionResult) -> Verdict:
    if host.peak_processes > host.limits.processes:
        return not_held(f"{host.peak_processes} processes at once under a limit of {host.limits.processes}")
    if verdict := astray(host, result):
        return verdict
    if not host.peak_processes:
        return unproven("no process could be seen in the host's process table")
    return held(f"{host.peak_processes} processes at most, reason {result.reason}: {refusals(host, result)}")


def _few_threads(host: Host, result: ExecutionResult) -> Verdict:
    return _few(host, result, what="threads", most=host.limits.processes)


def _few_descriptors(host: Host, result: ExecutionResult) -> Verdict:
    return _few(host, result, what="descriptors", most=host.limits.open_files)


def _few(host: Host, result: ExecutionResult, *, what: str, most: int) -> Verdict:
    if verdict := astray(host, result):
        return verdict
    if host.posture is None:
        return unproven("the process could not be seen in the host's process table")
    count = int(host.posture.status["Threads"]) if what == "threads" else len(host.posture.descriptors)
    if count > most:
        return not_held(f"{count} {what} under a limit of {most}")
    return held(f"{count} {what}: {refusals(host, result)}")


def _disk_bounded(host: Host, result: ExecutionResult) -> Verdict:
    return _bounded(host, result, most=host.limits.disk_bytes, what="bytes")


def _files_bounded(host: Host, result: ExecutionResult) -> Verdict:
    return _bounded(host, result, most=host.limits.files, what="files")


def _bounded(host: Host, result: ExecutionResult, *, most: int, what: str) -> Verdict:
    total = _total(host, result)
    if total is not None and total > most:
        return not_held(f"{total} {what} under a limit of {most}")
    return astray(host, result) or held(f"{total} {what}, reason {result.reason}: {refusals(host, result)}")


def _forget_peak(host: Host) -> Values:
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    host.memory_before = _own_peak()
    return {}


def _own_peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * KIB for line in lines if line.startswith("VmHWM"))


def _output_bounded(host: Host, result: ExecutionResult) -> Verdict:
    growth, kept = _own_peak() - host.memory_before, len(result.stdout_bytes)
    if kept > host.limits.output_bytes + KIB or growth > _OUR_GROWTH_BYTES:
        return not_held(f"{kept // KIB} KiB kept of 50 MiB; our own memory grew by {growth // KIB} KiB")
    if not result.stdout_dropped:
        return unproven("no output was dropped, so the program cannot have written it all")
    return held(f"{kept // KIB} KiB kept, {result.stdout_dropped // KIB} KiB dropped; we grew by {growth // KIB} KiB")


def _timed_out(host: Host, result: ExecutionResult) -> Verdict:
    if result.reason is Reason.TIMEOUT and host.elapsed < host.limits.wall_seconds + _GRACE_SECONDS:
        return astray(host, result) or held(f"stopped after {host.elapsed:.1f} s")
    return not_held(f"{result.reason} after {host.elapsed:.1f} s under a limit of {host.limits.wall_seconds} s")


def _none_left(host: Host, result: ExecutionResult) -> Verdict:
    if alive := processes.marked(host.token):
        return not_held(f"{len(alive)} process(es) outlived the run")
    return astray(host, result) or held("no process of the run is left in the host's process table")


def _on_time(host: Host, result: ExecutionResult) -> Verdict:
    if host.elapsed >= host.limits.wall_seconds + _GRACE_SECONDS:
        return not_held(f"the run came back after {host.elapsed:.1f} s")
    return _none_left(host, result)


def _processor_time(host: Host, result: ExecutionResult) -> Verdict:
    if host.said(result).did:
        return not_held(f"2.4 processor seconds were burned under a limit of {host.limits.cpu_seconds}")
    if result.reason is Reason.CPU_TIME:
        return held(f"stopped after {host.elapsed:.1f} s; {result.usage.cpu_seconds} processor seconds")
    return not_held(f"the reason given is {result.reason} after {host.elapsed:.1f} s")


def _outlast(host: Host, stop: threading.Event) -> None:
    """Let the greedy program hold all it could get until the modest one beside it has ended."""
    if processes.await_held(host.token, stop) is not None:
        host.peak_processes = len(processes.marked(host.token))
        host.run_beside()
        processes.end(host.token)


def _separate(host: Host, result: ExecutionResult) -> Verdict:
    """The greedy run is stopped at its limit, and the modest one beside it gets all that it asks for."""
    if host.peak_processes > host.limits.processes:
        return not_held(f"the greedy run had {host.peak_processes} processes under a limit of {host.limits.processes}")
    if verdict := astray(host, result):
        return verdict
    if host.beside is None:
        return unproven("the greedy run could not be seen in the host's process table")
    if host.said(host.beside).did:
        return held(f"greedy: {refusals(host, result)}; modest: 16 of 16")
    return astray(host, host.beside) or not_held(f"the modest run was starved: {refusals(host, host.beside)}")


ATTACKS = (
    Attack(row="R01", title="touches 150 MiB in one process", severity="DoS", code=_ONE_PROCESS, limits=_SMALL,
           judge=_memory_stopped),
    Attack(row="R02", title="touches 6 x 24 MiB in six processes", severity="DoS", code=_MANY_PROCESSES,
           limits=_SMALL, judge=_memory_stopped),
    Attack(row="R03", title="keeps 150 MiB in /dev/shm and in a memory file", severity="DoS", code=_SHARED_MEMORY,
           limits=_SMALL, judge=_memory_counted),
    Attack(row="R04", title="keeps 150 MiB in pipes", severity="DoS", code=_PIPES, judge=_memory_counted,
           limits=replace(_SMALL, open_files=1024)),
    Attack(row="R05", title="forks 60 times", severity="DoS", code=_FORKS, limits=_SMALL, watch=look,
           judge=_few_processes),
    Attack(row="R06", title="starts 60 threads", severity="DoS", code=_THREADS, limits=_SMALL, watch=look,
           judge=_few_threads),
    Attack(row="R07", title="opens 600 descriptors", severity="DoS", code=_FILES_OPEN, limits=_SMALL, watch=look,
           judge=_few_descriptors),
    Attack(row="R08", title="writes 40 MiB to disk", severity="DoS", code=_DISK, limits=_ROOMY, judge=_disk_bounded),
    Attack(row="R09", title="makes 1500 files", severity="DoS", code=_INODES, limits=_ROOMY, judge=_files_bounded),
    Attack(row="R10", title="leaves a file of 1 TiB of nothing to be read back", severity="DoS", code=_SPARSE,
           limits=_ROOMY, prepare=out_folder, judge=collected, collect=OUT),
    Attack(row="R11", title="prints 50 MiB without a line's end", severity="DoS", code=_TALK, limits=_ROOMY,
           prepare=_forget_peak, judge=_output_bounded),
    Attack(row="R12", title="ignores every signal", severity="DoS", code=_DEAF, limits=_BRIEF, judge=_timed_out),
    Attack(row="R13", title="stops itself", severity="DoS", code=_STOPPED, limits=_BRIEF, judge=_timed_out),
    Attack(row="R14", title="leaves a process behind", severity="DoS", code=_DAEMON, limits=_SMALL,
           judge=_none_left),
    Attack(row="R15", title="leaves its output open in a grandchild", severity="DoS", code=_OPEN_OUTPUT,
           limits=_BRIEF, judge=_on_time),
    Attack(row="R16", title="burns processor time in a relay of short processes", severity="DoS", code=_RELAY,
           limits=replace(_SMALL, cpu_seconds=1.0, wall_seconds=10.0), judge=_processor_time),
    Attack(row="R17", title="starves a run beside it of processes", severity="DoS", code=_FORKS, beside=_MODEST,
           limits=_SMALL, watch=_outlast, judge=_separate),
)
