"""Section R: memory, processes, disk, output and time.

Every act is bounded by itself, a few times the limit at most, so that a run without walls does no harm.
"""

from __future__ import annotations

from dataclasses import replace

from windtunnel.core.limits import MIB, Limits
from windtunnel.sandbox.attacks.base import Attack
from windtunnel.sandbox.attacks.judges import collected, link_target, look
from windtunnel.sandbox.attacks.resource_judges import (
    disk_bounded,
    few_descriptors,
    few_processes,
    few_threads,
    files_bounded,
    filled,
    forget_peak,
    memory_counted,
    memory_stopped,
    none_left,
    on_time,
    outlast,
    output_bounded,
    processor_time,
    separate,
    timed_out,
)

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
places = (TMP, "/tmp", "/var/tmp", "/run", "/sandbox", os.getcwd(), os.path.expanduser("~"), "/")
total = 0
def fill(folder):
    global total
    with open(os.path.join(folder, TOKEN + "-fill"), "xb", buffering=0) as file:
        for _ in range(40):
            total += file.write(b"x" * 2 ** 20)
for folder in places:
    path = os.path.join(folder, TOKEN + "-fill")
    if os.path.isdir(folder) and not os.path.exists(path) and total < 60 * 2 ** 20:
        attempt(folder, lambda: fill(folder))
print(TOKEN, "total", total, flush=True)
for folder in places:
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
for folder in (TMP, "/tmp", "/var/tmp", "/dev/shm"):
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
os.makedirs(OUT, exist_ok=True)
def hollow(name, size):
    with open(OUT + "/" + name, "wb") as file:
        file.truncate(size)
attempt("one", lambda: hollow("one", 2 ** 40))
# A limit on the size of one file leaves many of them, each within it.
for index in range(40):
    attempt("many", lambda: hollow("many-" + str(index), 8 * 2 ** 20))
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
# Room enough that memory, however it is counted, is not what stops many processes.
_CROWDED = replace(_SMALL, memory_bytes=1024 * MIB)
_BRIEF = replace(_SMALL, wall_seconds=1.5)


ATTACKS = (
    Attack(row="R01", title="touches 150 MiB in one process", severity="DoS", code=_ONE_PROCESS, limits=_SMALL,
           judge=memory_stopped),
    Attack(row="R02", title="touches 6 x 24 MiB in six processes", severity="DoS", code=_MANY_PROCESSES,
           limits=_SMALL, judge=memory_stopped),
    Attack(row="R03", title="keeps 150 MiB in /dev/shm and in a memory file", severity="DoS", code=_SHARED_MEMORY,
           limits=_SMALL, judge=memory_counted),
    Attack(row="R04", title="keeps 150 MiB in pipes", severity="DoS", code=_PIPES, judge=memory_counted,
           limits=replace(_SMALL, open_files=1024)),
    Attack(row="R05", title="forks 60 times", severity="DoS", code=_FORKS, limits=_CROWDED, watch=look,
           judge=few_processes),
    Attack(row="R06", title="starts 60 threads", severity="DoS", code=_THREADS, limits=_SMALL, watch=look,
           judge=few_threads),
    Attack(row="R07", title="opens 600 descriptors", severity="DoS", code=_FILES_OPEN, limits=_SMALL, watch=look,
           judge=few_descriptors),
    Attack(row="R08", title="writes 40 MiB to disk", severity="DoS", code=_DISK, limits=_ROOMY,
           prepare=filled, judge=disk_bounded),
    Attack(row="R09", title="makes 1500 files", severity="DoS", code=_INODES, limits=_ROOMY,
           prepare=filled, judge=files_bounded),
    Attack(row="R10", title="leaves 1 TiB of nothing, and 40 x 8 MiB of it, to be read back", severity="DoS",
           code=_SPARSE, limits=_ROOMY, prepare=link_target, judge=collected, build=True),
    Attack(row="R11", title="prints 50 MiB without a line's end", severity="DoS", code=_TALK, limits=_ROOMY,
           prepare=forget_peak, judge=output_bounded),
    Attack(row="R12", title="ignores every signal", severity="DoS", code=_DEAF, limits=_BRIEF, judge=timed_out),
    Attack(row="R13", title="stops itself", severity="DoS", code=_STOPPED, limits=_BRIEF, judge=timed_out),
    Attack(row="R14", title="leaves a process behind", severity="DoS", code=_DAEMON, limits=_SMALL,
           judge=none_left),
    Attack(row="R15", title="leaves its output open in a grandchild", severity="DoS", code=_OPEN_OUTPUT,
           limits=_BRIEF, judge=on_time),
    Attack(row="R16", title="burns processor time in a relay of short processes", severity="DoS", code=_RELAY,
           limits=replace(_SMALL, cpu_seconds=1.0, wall_seconds=10.0), judge=processor_time),
    Attack(row="R17", title="starves a run beside it of processes", severity="DoS", code=_FORKS, beside=_MODEST,
           limits=_CROWDED, watch=outlast, judge=separate),
)
