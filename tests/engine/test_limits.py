"""Each limit holds for the whole tree and gives its own reason."""

import pytest

from windtunnel.config import CAPS
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB, MIB, Limits
from windtunnel.core.result import Reason
from windtunnel.engine.limits import build_limits, check_limits

ONE_HOG = "data = b'x' * (200 << 20)\nprint(len(data))\n"
EIGHT_HOGS = """
import os
ready, go = os.pipe(), os.pipe()
children = []
for _ in range(8):
    pid = os.fork()
    if not pid:
        data = b"x" * (25 << 20)
        os.write(ready[1], b".")
        os.read(go[0], 1)
        os._exit(0)
    children.append(pid)
for _ in children:
    os.read(ready[0], 1)
os.write(go[1], b"." * 8)
print([os.waitpid(pid, 0)[1] for pid in children])
"""
FORKS = """
import os
children, hold = 0, os.pipe()
try:
    while children < 60:
        if not os.fork():
            os.close(hold[1])
            os.read(hold[0], 1)
            os._exit(0)
        children += 1
except OSError as error:
    print(children, error.strerror, flush=True)
    raise SystemExit(1)
print(children)
"""
FILL = "with open('/tmp/big', 'wb') as file:\n    for _ in range(64):\n        file.write(b'x' * (1 << 20))\nprint('done')\n"
NAMES = "for number in range(500):\n    open(f'/tmp/{number}', 'x').close()\nprint('done')\n"
OPEN = """
held = []
try:
    while len(held) < 100:
        held.append(open("/dev/null"))
except OSError as error:
    print(error.strerror)
else:
    print("all")
"""
BUSY = "import time\nend = time.monotonic() + {seconds}\nwhile time.monotonic() < end:\n    pass\nprint('done')\n"
RELAY = "import os\nfor _ in range(200):\n    if not os.fork():\n        sum(range(2_000_000))\n        os._exit(0)\n    os.wait()\n"


def test_memory_of_one_process_is_bounded(tunnel):
    result = tunnel.run(ONE_HOG, limits=Limits(memory_bytes=96 * MIB))

    assert (result.reason, result.oom_killed, result.success, result.stdout) == (Reason.OUT_OF_MEMORY, True, False, "")
    assert result.error_message == "stopped: the memory limit was reached"


def test_memory_of_eight_processes_is_bounded_together(tunnel):
    result = tunnel.run(EIGHT_HOGS, limits=Limits(memory_bytes=128 * MIB))

    assert (result.reason, result.success) == (Reason.OUT_OF_MEMORY, False)


@pytest.mark.parametrize(("code", "stdout"), [(ONE_HOG, "209715200\n"), (EIGHT_HOGS, "[0, 0, 0, 0, 0, 0, 0, 0]\n")])
def test_the_same_memory_is_there_under_a_higher_limit(tunnel, code, stdout, grouped):
    result = tunnel.run(code, limits=Limits(memory_bytes=GIB))

    assert (result.reason, result.stdout, result.stderr) == (Reason.EXITED, stdout, "")
    assert 200 * MIB <= result.usage.memory_peak_bytes <= 300 * MIB


def test_files_in_the_private_folder_count_as_memory(tunnel, grouped):
    result = tunnel.run(FILL, limits=Limits(memory_bytes=48 * MIB, disk_bytes=GIB))

    assert (result.reason, result.success) == (Reason.OUT_OF_MEMORY, False)


def test_processor_time_of_one_process_is_bounded(tunnel):
    result = tunnel.run("while True: pass", limits=Limits(cpu_seconds=0.3, wall_seconds=20))

    assert (result.reason, result.exit_code, result.timeout) == (Reason.CPU_TIME, 124, True)
    assert 0.3 <= result.usage.cpu_seconds < 1.5


def test_processor_time_of_a_relay_of_short_processes_is_bounded(tunnel):
    result = tunnel.run(RELAY, limits=Limits(cpu_seconds=0.4, wall_seconds=25))

    assert (result.reason, result.exit_code) == (Reason.CPU_TIME, 124)
    assert result.usage.cpu_seconds < 2


def test_half_a_processor_is_half_a_processor(tunnel, grouped):
    def share(cores):
        result = tunnel.run(BUSY.format(seconds=1.5), limits=Limits(cores=cores))
        assert result.stdout == "done\n"
        return result.usage.cpu_seconds / result.execution_time

    half = max(share(0.5) for _ in range(3))  # the limit holds for each; what others take is not ours
    whole = max(share(1.0) for _ in range(3))

    assert 0.25 < half < 0.7
    assert whole > 1.25 * half


def test_processes_are_bounded(tunnel, grouped):
    result = tunnel.run(FORKS, limits=Limits(processes=20))

    assert (result.reason, result.exit_code) == (Reason.TOO_MANY_PROCESSES, 1)
    assert 15 <= int(result.stdout.split()[0]) < 20


def test_the_same_processes_are_there_under_a_higher_limit(tunnel, grouped):
    result = tunnel.run(FORKS, limits=Limits(processes=100))

    assert (result.reason, result.exit_code, result.stdout) == (Reason.EXITED, 0, "60\n")
    assert result.usage.processes_peak >= 60


def test_threads_count_as_processes(tunnel, grouped):
    code = "import threading\nhold = threading.Event()\nfor _ in range(60):\n    threading.Thread(target=hold.wait, daemon=True).start()\n"

    result = tunnel.run(code, limits=Limits(processes=20))

    assert (result.reason, result.exit_code) == (Reason.TOO_MANY_PROCESSES, 1)
    assert "can't start new thread" in result.stderr


def test_disk_bytes_are_bounded(tunnel):
    result = tunnel.run(FILL, limits=Limits(disk_bytes=8 * MIB))

    assert (result.reason, result.exit_code, result.stdout) == (Reason.OUT_OF_DISK, 1, "")
    assert "No space left on device" in result.stderr
    assert 7 * MIB <= result.usage.disk_bytes <= 8 * MIB


def test_the_shared_memory_folder_has_no_quota_of_its_own(tunnel):
    code = FILL.replace("range(64)", "range(5)")

    result = tunnel.run(code + code.replace("/tmp/", "/dev/shm/"), limits=Limits(disk_bytes=8 * MIB))

    assert (result.reason, result.stdout) == (Reason.OUT_OF_DISK, "done\n")


def test_the_number_of_files_is_bounded(tunnel):
    result = tunnel.run(NAMES, limits=Limits(files=100))

    assert (result.reason, result.exit_code, result.stdout) == (Reason.OUT_OF_DISK, 1, "")


@pytest.mark.parametrize(("code", "left"), [(FILL, 1), (NAMES, 500)])
def test_the_same_files_are_there_under_a_higher_limit(tunnel, code, left):
    result = tunnel.run(code)

    assert (result.reason, result.stdout, len(result.effects.files)) == (Reason.EXITED, "done\n", left)


def test_a_program_that_copes_with_a_limit_has_exited(tunnel):
    result = tunnel.run(f"try:\n    {FILL.splitlines()[0]} file.write(b'x' * (20 << 20))\nexcept OSError:\n    print('coped')\n",
                        limits=Limits(disk_bytes=8 * MIB))

    assert (result.reason, result.success, result.stdout) == (Reason.EXITED, True, "coped\n")


@pytest.mark.parametrize(("files", "limits"), [
    ({"big": b"x" * (2 * MIB)}, Limits(disk_bytes=MIB)), ({str(number): "" for number in range(100)}, Limits(files=64)),
], ids=["bytes", "number"])
def test_given_files_that_do_not_fit_the_limits_are_a_wrong_request(tunnel, files, limits):
    with pytest.raises(UsageError) as refused:
        tunnel.run("print(1)", files=files, limits=limits)

    assert refused.value.field == "files"


@pytest.mark.parametrize(("most", "said"), [(24, "Too many open files\n"), (200, "all\n")])
def test_open_files_are_bounded(tunnel, most, said):
    assert tunnel.run(OPEN, limits=Limits(open_files=most)).stdout == said


def test_output_is_kept_as_head_and_tail_and_says_how_much_is_missing(tunnel):
    code = "import sys\nsys.stdout.write('a' * 500_000 + 'b' * 500_000)\nsys.stderr.write('c' * 1000)\n"

    result = tunnel.run(code, limits=Limits(output_bytes=1000))

    assert (result.success, result.stdout_dropped, result.stderr_dropped) == (True, 999_000, 0)
    assert result.stdout == "a" * 500 + "\n[... 999000 bytes left out ...]\n" + "b" * 500
    assert result.stderr == "c" * 1000


def test_all_output_goes_to_files_when_asked(tunnel, tmp_path):
    code = "import sys\nsys.stdout.write('a' * 500_000 + 'b' * 500_000)\nsys.stderr.write('c' * 3000)\n"

    tunnel.run(code, limits=Limits(output_bytes=1000), spill=str(tmp_path))

    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "stdout": "a" * 500_000 + "b" * 500_000, "stderr": "c" * 3000}


def test_output_without_end_is_ended_by_time_and_not_by_size(tunnel):
    result = tunnel.run("while True: print('x' * 9999)", limits=Limits(wall_seconds=0.5, output_bytes=1000))

    assert (result.reason, result.exit_code) == (Reason.TIMEOUT, 124)
    assert result.stdout_dropped > 100_000
    assert len(result.stdout_bytes) < 1100


def test_a_timeout_keeps_the_output_so_far(tunnel):
    code = "import sys, time\nprint('so far', flush=True)\nprint('hm', file=sys.stderr, flush=True)\ntime.sleep(60)\n"

    result = tunnel.run(code, limits=Limits(wall_seconds=0.5))

    assert (result.reason, result.timeout, result.exit_code, result.stdout, result.stderr) == (
        Reason.TIMEOUT, True, 124, "so far\n", "hm\n")
    assert 0.5 <= result.execution_time < 3


def test_a_timeout_ends_the_children_too(tunnel):
    code = "import os, time\nos.fork()\nos.setsid() if os.getpid() > 2 else None\nprint('up', flush=True)\ntime.sleep(60)\n"

    result = tunnel.run(code, limits=Limits(wall_seconds=0.5))

    assert (result.reason, result.stdout) == (Reason.TIMEOUT, "up\nup\n")


@pytest.mark.parametrize(("code", "exit_code"), [
    ("raise SystemExit(124)", 124), ("raise SystemExit(137)", 137), ("import os; os._exit(124)", 124),
    ("import os; os.kill(os.getpid(), 9)", 137), ("import os; os.kill(os.getpid(), 15)", 143), ("raise SystemExit(130)", 130),
])
def test_an_exit_code_of_the_program_itself_is_no_reason_of_ours(tunnel, code, exit_code):
    result = tunnel.run(code)

    assert (result.reason, result.exit_code, result.timeout, result.oom_killed, result.success) == (
        Reason.EXITED, exit_code, False, False, False)


def test_limits_within_the_caps_get_the_processor_limit_of_the_caps():
    assert check_limits(Limits(), caps=CAPS) == Limits(cpu_seconds=3600.0)


def test_limits_over_the_caps_are_refused():
    with pytest.raises(UsageError, match=r"^processes: 100 is over the cap of 50 .*caps\.processes"):
        check_limits(Limits(), caps=Limits(processes=50))


def test_a_build_gets_more_where_the_caps_allow():
    assert build_limits(Limits(), caps=CAPS) == Limits(
        memory_bytes=GIB, disk_bytes=GIB, files=50_000, processes=128, cpu_seconds=3600.0, cores=2.0, wall_seconds=30.0)


def test_a_build_never_gets_more_than_the_caps():
    tight = Limits(cpu_seconds=1.0)

    assert build_limits(tight, caps=tight) == tight
