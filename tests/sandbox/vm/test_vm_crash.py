"""Whatever dies, nothing of a machine is left, nothing is called a result that is none, and the next run works."""

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from processes_below import alive, below, machine_of, wait_until
from vm_here import CACHE, PATIENT

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.result import Reason
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.vm.level import VirtualMachine

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("vm")]

SUPERVISOR = """
import sys
sys.path.insert(0, sys.argv[1])
from conftest import shell_job
from dataclasses import replace
from windtunnel.core.limits import Limits
from windtunnel.sandbox.vm.level import VirtualMachine
job = replace(shell_job("echo begun; sleep 300"), limits=Limits(wall_seconds=200), on_stdout=lambda data: print(1, flush=True))
VirtualMachine(cache_dir=sys.argv[2], pool_size=1).run(job)
"""


@pytest.fixture
def supervisor(vm, program):
    """Another process in the middle of a run."""
    vm.run(program("true"))
    process = subprocess.Popen(
        [sys.executable, "-c", SUPERVISOR, str(Path(__file__).parents[1]), str(CACHE)],
        stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"1\n"
    yield process
    process.kill()
    process.wait()
    process.stdout.close()


def test_a_killed_supervisor_leaves_no_machine(supervisor):
    machines = below(supervisor.pid)

    supervisor.kill()
    supervisor.wait()

    assert machines
    assert wait_until(lambda: not alive(machines), seconds=5), alive(machines)


def test_a_machine_that_is_killed_is_our_failure_and_the_next_run_works(vm, program):
    killed = []

    def kill(_):
        killed.append(machine_of(os.getpid()))
        os.kill(killed[0], 9)

    with pytest.raises(SandboxFailure, match="the machine ended during the run"):
        vm.run(program("echo begun; sleep 300", on_stdout=kill))

    assert vm.run(program("echo next")).stdout == "next\n"
    assert alive(killed) == []


def test_an_agent_that_breaks_says_so_and_its_machine_ends(vm, program):
    machine = vm.start(vm.kind_of(program("true")))
    try:
        machine.control.send(b"P", b"too short for a seed and a time")
        with pytest.raises(SandboxFailure, match="could not be made ready: error: unpack requires"):
            machine._await(b"P", bool, seconds=60)
    finally:
        machine.discard()


def test_a_run_that_nobody_wants_any_more_is_ended_and_others_go_on(vm, program):
    unwanted = threading.Event()

    result = vm.run(program("echo begun; sleep 300", on_stdout=lambda _: unwanted.set(), stop=unwanted.is_set))

    assert (result.reason, result.exit_code, result.stdout) == (Reason.CANCELLED, 130, "begun\n")
    assert vm.run(program("echo next")).stdout == "next\n"


def test_closing_cancels_the_runs_under_way(program):
    made = VirtualMachine(cache_dir=CACHE, pool_size=0)
    begun = threading.Event()
    results = []
    thread = threading.Thread(target=lambda: results.append(
        made.run(program("echo begun; sleep 300", on_stdout=lambda _: begun.set()))))
    thread.start()
    assert begun.wait(timeout=120)

    made.close()
    thread.join(timeout=30)

    assert [(result.reason, result.exit_code) for result in results] == [(Reason.CANCELLED, 130)]
    assert [pid for pid in below(os.getpid()) if "qemu" in Path(f"/proc/{pid}/comm").read_text()] == []


def test_a_forked_child_leaves_its_parents_machines_alone(program):
    made = VirtualMachine(cache_dir=CACHE, pool_size=1)
    made.warm_up(program("true"))
    (waiting,) = made._pool.waiting()

    pid = os.fork()
    if pid == 0:
        made.close()
        os._exit(0)
    os.waitpid(pid, 0)

    assert waiting.alive()
    assert made.run(program("echo mine")).stdout == "mine\n"
    made.close()


def groups_of_ours():
    own = f"-{os.getpid()}-{cgroups.start_time(os.getpid())}-"
    return {folder for folder, _, _ in os.walk("/sys/fs/cgroup") if own in folder}


def test_no_group_is_left_when_all_is_closed(program, grouped):
    before = groups_of_ours()
    made = VirtualMachine(cache_dir=CACHE, pool_size=1)
    made.run(program("true"))

    made.close()

    assert groups_of_ours() <= before


def test_the_machine_itself_runs_as_nobody_behind_walls(vm, program):
    machine = vm.start(vm.kind_of(program("true")))
    try:
        pid = next(one for one in below(machine.process.pid) if Path(f"/proc/{one}/comm").read_text().startswith("qemu"))
        status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines() if ":\t" in line)
        shared = [name for name in ("net", "mnt", "pid", "ipc", "uts", "user")
                  if Path(f"/proc/{pid}/ns/{name}").readlink() == Path(f"/proc/self/ns/{name}").readlink()]
        seen = {path.name for path in Path(f"/proc/{pid}/root").iterdir()} if os.geteuid() == 0 else set()
    finally:
        machine.discard()

    assert {name: status[name].strip() for name in ("CapEff", "CapBnd", "NoNewPrivs", "Seccomp")} == {
        "CapEff": "0000000000000000", "CapBnd": "0000000000000000", "NoNewPrivs": "1", "Seccomp": "2"}
    assert int(status["Uid"].split()[0]) != 0
    assert shared == []
    assert not {"home", "root", "tmp", "srv", "proc", "sys"} & seen


def test_a_waiting_machine_is_used_and_another_takes_its_place(program):
    made = VirtualMachine(cache_dir=CACHE, pool_size=1)
    try:
        made.warm_up(program("true"))
        first = made.run(program("echo 1", limits=PATIENT))
        made.flush()
        second = made.run(program("echo 2", limits=PATIENT))
    finally:
        made.close()

    assert [(result.warm, result.stdout) for result in (first, second)] == [(True, "1\n"), (True, "2\n")]


def test_the_remains_of_a_machine_are_not_left_to_others(vm, program):
    machine = vm.start(vm.kind_of(program("true")))
    (qemu,) = [one for one in below(machine.process.pid) if Path(f"/proc/{one}/comm").read_text().startswith("qemu")]

    machine.discard()

    assert not Path(f"/proc/{qemu}").exists()
