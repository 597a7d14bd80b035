"""What is seen of a program in a container: the same as at the process level, whatever the program does against it."""

from __future__ import annotations

import io
import os
import platform
import struct
import tarfile
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from containers import left_of

from windtunnel.core.effects import BlockedCall, NetworkAttempt
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Network
from windtunnel.core.result import Reason
from windtunnel.sandbox.container import starter
from windtunnel.sandbox.container.images import Chosen, Files
from windtunnel.sandbox.syscalls import MACHINES, WATCHED

pytestmark = pytest.mark.xdist_group("containers")
WHOLE = ("files", "processes", "network", "blocked")
CALLS = """
import ctypes, errno, os, socket, subprocess, sys, time
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *words):
    print(name, getattr(libc, name)(*words), errno.errorcode[ctypes.get_errno()], flush=True)
def tried(act):
    try: act()
    except OSError as error: print(errno.errorcode[error.errno], flush=True)
"""
REACHING = CALLS + """
call("mount", b"none", b"/tmp", b"tmpfs", 0, None)
call("ptrace", 16, os.getppid(), 0, 0)
call("unshare", 0x10000000)
call("unshare", 0x20000)
tried(lambda: socket.socket(17, 3, 0))
tried(lambda: socket.socket(2, 3, 1))
tried(lambda: socket.create_connection(("203.0.113.9", 443), 2))
tried(lambda: socket.create_connection(("127.0.0.1", 9), 2))
tried(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("203.0.113.10", 53)))
subprocess.Popen(["/bin/sleep", "60"], start_new_session=True)
sys.exit(3)
"""


def seen(result):
    """All that is told of a run but its files, which differ by what lies in /tmp."""
    return result.exit_code, result.reason, result.stdout, replace(result.effects, files=())


# --- by each way ---

def test_the_same_program_has_the_same_effects_as_at_the_process_level(each, sandbox, job):
    here, there = each.run(job(REACHING)), sandbox.run(job(REACHING))

    assert seen(here) == seen(there)
    assert here.effects.watched == WHOLE
    assert here.effects.processes_left == ("sleep",)
    assert here.effects.blocked == (
        BlockedCall(name="mount"), BlockedCall(name="ptrace"), BlockedCall(name="unshare", count=2), BlockedCall(name="socket", count=2))
    assert here.effects.network == (
        NetworkAttempt(target="203.0.113.9:443", outcome="refused", rule="no network"),
        NetworkAttempt(target="203.0.113.10:53", outcome="refused", rule="no network"))


def test_a_program_that_does_nothing_has_no_effects_and_that_means_something(each, job):
    effects = each.run(job("print(1)")).effects

    assert (effects.blocked, effects.network, effects.processes_left, effects.watched) == ((), (), (), WHOLE)


def test_a_waiting_container_sees_as_much(engine, make_container, job):
    container = make_container(engine, pool_size=1)
    container.warm_up(job(""))

    result = container.run(job(CALLS + "call('unshare', 0x10000000)"))

    assert (result.warm, result.stdout, result.effects.blocked) == (True, "unshare -1 EPERM\n", (BlockedCall(name="unshare"),))


# --- every call ---

ALL = CALLS + """
for name, number in {calls!r}.items():
    result = libc.syscall(ctypes.c_long(number), *[ctypes.c_long(-1)] * 6)
    print(name, result, errno.errorcode[ctypes.get_errno()])
"""


def test_every_watched_call_is_refused_and_recorded_as_at_the_process_level(shared, sandbox, job):
    numbers = {name: number for name, number in MACHINES[platform.machine()].numbers.items() if name in WATCHED}
    here, there = (level.run(job(ALL.format(calls=numbers))) for level in (shared, sandbox))
    newer = {line.split()[0] for line in here.stdout.splitlines() if line.endswith("ENOSYS")}  # than the engine's libseccomp

    assert newer <= {"open_tree_attr", "mount_setattr", "quotactl_fd"}
    assert [line for line in here.stdout.splitlines() if line.split()[0] not in newer] == [f"{name} -1 EPERM" for name in numbers if name not in newer]
    assert set(here.effects.blocked) == {call for call in there.effects.blocked if call.name not in newer}


REFUSED = CALLS + """
for triple in [(2, 1, 262), (2, 3, 1), (1, 1, 2), (16, 3, 15), (40, 1, 0)]: tried(lambda: socket.socket(*triple))
tried(lambda: socket.socketpair(2))
call("personality", 0x40000)
call("fcntl", 1, 1031, 1 << 20)
call("ioctl", 0, 0x5412, b"x")
call("name_to_handle_at", -100, b"/tmp", ctypes.c_buffer(200), ctypes.c_buffer(8), 0)
call("prlimit", os.getppid(), 7, ctypes.c_buffer(16), None)
for number in (435, 999): call("syscall", number, 0, 0)
"""


def test_every_refused_call_gets_the_error_of_the_process_level(shared, sandbox, job):
    here, there = shared.run(job(REFUSED)), sandbox.run(job(REFUSED))

    assert seen(here) == seen(there)
    assert here.stdout.split()[:6] == ["EPROTONOSUPPORT", "EAFNOSUPPORT", "EPROTONOSUPPORT", "EAFNOSUPPORT", "EAFNOSUPPORT", "EAFNOSUPPORT"]


# --- the network ---

def test_the_hosts_network_is_told_as_allowed(shared, job):
    """A datagram socket is connected without anything being sent."""
    result = shared.run(job(CALLS + "socket.socket(2, 2).connect(('203.0.113.9', 9))", network=Network(host=True)))

    assert result.effects.network == (NetworkAttempt(target="203.0.113.9:9", outcome="allowed", rule="host network"),)


def test_what_goes_past_the_proxy_of_an_allow_list_is_told_as_at_the_process_level(shared, sandbox, job):
    made = job(CALLS + "tried(lambda: socket.create_connection(('203.0.113.9', 443), 2))", network=Network(allow_hosts=("example.org",)))
    here, there = shared.run(made), sandbox.run(made)

    assert seen(here) == seen(there)
    assert here.effects.network == (NetworkAttempt(target="203.0.113.9:443", outcome="refused", rule="no network"),)


def test_addresses_that_cannot_be_read_are_not_said_to_be_watched(docker_engine, make_container, job, monkeypatch):
    monkeypatch.setattr("windtunnel.sandbox.container.watching._readable", lambda _: False)

    assert make_container(docker_engine).run(job("print(1)")).effects.watched == ("files", "processes", "blocked")


# --- what is left ---

def test_processes_left_are_named_oldest_first_and_not_the_dead_ones(shared, job):
    code = ("import os, subprocess, time\nif os.fork() == 0: os._exit(0)\n"
            "subprocess.Popen(['/bin/sleep', '60'])\n"
            "if os.fork() == 0:\n    os.setsid()\n    if os.fork(): os._exit(0)\n    open('/proc/self/comm', 'w').write('a (b) c'); open('/tmp/ready', 'w'); time.sleep(60)\n"
            "while not os.path.exists('/tmp/ready'): time.sleep(0.01)")

    assert shared.run(job(code)).effects.processes_left == ("sleep", "a (b) c")


def test_of_many_processes_sixteen_are_named(shared, job):
    code = "import subprocess\nfor n in range(20): subprocess.Popen(['/bin/sleep', '60'])"

    assert shared.run(job(code)).effects.processes_left == ("sleep",) * 16


def test_the_number_of_processes_is_the_programs_own(shared, job):
    code = ("import os, time\nmade = 0\ntry:\n    while True:\n        if os.fork() == 0: time.sleep(60)\n        made += 1\n"
            "except OSError: print(made, flush=True)")

    result = shared.run(job(code, limits=Limits(processes=10)))

    assert (result.stdout, result.usage.processes_peak in (None, 11)) == ("9\n", True)


def test_a_program_stopped_at_its_time_has_its_effects_up_to_then(shared, job):
    result = shared.run(job(CALLS + "call('unshare', 0x10000000); time.sleep(60)", limits=Limits(wall_seconds=1.5)))

    assert (result.reason, result.effects.blocked) == (Reason.TIMEOUT, (BlockedCall(name="unshare"),))


# --- against being seen ---

def test_a_program_that_closes_all_its_descriptors_is_seen(shared, job):
    result = shared.run(job(CALLS + "os.closerange(0, 1024); libc.unshare(0x10000000); os._exit(6)"))

    assert (result.exit_code, result.effects.blocked) == (6, (BlockedCall(name="unshare"),))


def test_a_flood_of_questions_is_counted_to_the_last(shared, job):
    code = CALLS + "for n in range(3): os.fork()\nfor n in range(1000): libc.unshare(0x10000000)\ntry:\n    while True: os.wait()\nexcept ChildProcessError: pass"

    result = shared.run(job(code))

    assert (result.exit_code, result.effects.blocked) == (0, (BlockedCall(name="unshare", count=8000),))


def test_a_flood_without_end_ends_at_its_time(shared, job):
    result = shared.run(job(CALLS + "os.fork()\nos.fork()\nwhile True: libc.unshare(0x10000000)", limits=Limits(wall_seconds=1.5)))

    assert (result.reason, result.execution_time < 10) == (Reason.TIMEOUT, True)


def test_a_program_that_goes_on_asking_after_its_end_ends_with_it(shared, job):
    code = CALLS + "open('/proc/self/comm', 'w').write('asker')\nif os.fork() == 0:\n    while True: libc.unshare(0x10000000)\nos._exit(4)"

    result = shared.run(job(code))

    assert (result.exit_code, result.effects.processes_left, result.execution_time < 10) == (4, ("asker",), True)


def test_a_program_that_kills_its_parent_ends_itself_and_leaves_nothing(docker_engine, make_container, job):
    container = make_container(docker_engine)

    result = container.run(job("import os, time; print(os.getppid() > 1, flush=True); os.kill(os.getppid(), 9); time.sleep(60)"))
    container.close()

    assert (result.exit_code, result.stdout, result.execution_time < 10) == (137, "True\n", True)
    assert left_of(os.getpid(), engine=docker_engine) == []


def test_a_program_that_stops_its_starter_runs_into_its_own_time(shared, job):
    result = shared.run(job("import os, signal; os.kill(os.getppid(), signal.SIGSTOP)", limits=Limits(wall_seconds=1.5)))

    assert (result.exit_code, result.reason) == (124, Reason.TIMEOUT)


def test_a_program_that_signals_all_it_can_goes_on(shared, job):
    code = "import os, signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nos.kill(-1, signal.SIGTERM); os.kill(0, signal.SIGTERM)\nraise SystemExit(5)"

    assert shared.run(job(code)).exit_code == 5


def test_a_program_finds_no_door_to_come_to_and_cannot_make_one(shared, job):
    code = CALLS + """
print(sorted(os.listdir("/windtunnel")))
tried(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).connect("/windtunnel/socket"))
tried(lambda: socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET).bind("/windtunnel/socket"))
print(subprocess.run(["/windtunnel/start"], capture_output=True).stderr.decode(), end="")
"""

    assert shared.run(job(code)).stdout == (
        "['go', 'run', 'start']\nENOENT\nEROFS\nwindtunnel: no program was started, for want of its socket \n")


def test_a_program_reaches_nothing_of_its_starter(shared, job):
    code = CALLS + """
parent = os.getppid()
for name in ("mem", "environ", "fd", "cwd", "maps"):
    tried(lambda: os.listdir(f"/proc/{parent}/{name}") if name == "fd" else os.readlink(f"/proc/{parent}/{name}") if name == "cwd" else open(f"/proc/{parent}/{name}", "rb").read(1))
call("pidfd_getfd" if hasattr(libc, "pidfd_getfd") else "ptrace", 16, parent, 0, 0)
"""

    assert set(shared.run(job(code)).stdout.split()[:5]) == {"EACCES"}


def test_a_program_behind_the_filter_cannot_listen_itself(shared, job):
    number = {"x86_64": 317, "aarch64": 277}[platform.machine()]
    code = CALLS + f"call('syscall', {number}, 1, 8, ctypes.c_buffer(16))"

    assert shared.run(job(code)).stdout == "syscall -1 EPERM\n"


# --- where nobody listens ---

UNSHARE = CALLS + "call('unshare', 0x10000000); subprocess.Popen(['/bin/sleep', '60'])"


def unheard(result):
    return result.stdout, result.effects.blocked, result.effects.processes_left, result.effects.watched


def test_without_a_watch_the_engines_filter_refuses_all_by_itself(docker_engine, make_container, job):
    result = make_container(docker_engine, watch=False).run(job(UNSHARE))

    assert unheard(result) == ("unshare -1 EPERM\n", (), ("sleep",), ("files", "processes"))


def test_where_no_listener_is_to_be_had_the_run_says_what_it_did_not_watch_and_nothing_is_allowed(docker_engine, make_container, job, monkeypatch):
    monkeypatch.setattr("windtunnel.sandbox.container.watching.seccomp", SimpleNamespace(load=lambda *_, **__: b"\xff" * 8))

    result = make_container(docker_engine).run(job(UNSHARE))

    assert unheard(result) == ("unshare -1 EPERM\n", (), ("sleep",), ("files", "processes"))


def test_a_kernel_of_its_own_is_looked_into_for_files_alone(gvisor, make_container, job):
    result = make_container(gvisor, runtime="runsc").run(job("import sys; open('/tmp/x', 'w'); print('ran'); sys.exit(9)"))

    assert (result.exit_code, result.stdout, result.effects.watched) == (9, "ran\n", ("files",))
    assert [file.path for file in result.effects.files] == ["/tmp/x"]


@pytest.mark.parametrize(("argv", "code"), [(("/none/such",), 127), (("/etc/passwd",), 126), (("/bin/sh", "-c", "kill -9 $$"), 137)])
def test_a_kernel_of_its_own_tells_of_a_program_that_did_not_start_as_others_do(gvisor, make_container, job, argv, code):
    made = job("")

    assert make_container(gvisor, runtime="runsc").run(replace(made, command=replace(made.command, argv=argv))).exit_code == code


# --- any image ---

WRITE_AND_END = bytes.fromhex("b801000000 bf01000000 488d3510000000 ba06000000 0f05 b8e7000000 bf0b000000 0f05".replace(" ", ""))


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the program is one of x86_64")
def test_an_image_without_a_shell_or_a_library_runs_its_program(docker_engine, make_container, job):
    code = WRITE_AND_END.replace(struct.pack("<i", 16), struct.pack("<i", len(WRITE_AND_END) - 17)) + b"alone\n"
    program = starter._head("x86_64", starter._CODE + len(code)) + code
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        member = tarfile.TarInfo("program")
        member.size, member.mode = len(program), 0o755
        tar.addfile(member, io.BytesIO(program))
    stream.seek(0)
    name = "windtunnel/test-alone:local"
    image = docker_engine.import_tar(stream, name=name, labels={})
    made = job("")
    try:
        result = make_container(docker_engine, image=Chosen(name=name, id=image, files=Files.OWN)).run(
            replace(made, command=replace(made.command, argv=("/program",))))
    finally:
        docker_engine.remove_image(name)

    assert (result.exit_code, result.stdout, result.effects.watched) == (11, "alone\n", WHOLE)


def test_what_is_written_to_the_gate_by_others_fools_nobody(shared, job):
    code = "import os\ntry: os.write(os.open('/windtunnel/go', os.O_WRONLY | os.O_NONBLOCK), b'x')\nexcept OSError as error: print(error.strerror)\nos._exit(7)"

    assert shared.run(job(code)).exit_code == 7


def test_the_shipped_starters_are_part_of_the_package():
    assert {path.name for path in Path(starter.__file__).with_name("starters").iterdir()} == {
        f"start-{machine}.{kind}" for machine in MACHINES for kind in ("S", "bin")}
