"""The vm level against a real guest: what a program gets, what it cannot have, and what is told of it."""

import hashlib
import os
import threading
import time
from dataclasses import replace

import pytest
from vm_here import PATIENT

from windtunnel.core.effects import FileEffect
from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.limits import MIB
from windtunnel.core.ports import Network
from windtunnel.core.result import Artifact, Level, Reason
from windtunnel.sandbox.vm import course as courses
from windtunnel.sandbox.vm.level import VirtualMachine
from windtunnel.sandbox.vm.machine import Machine

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.xdist_group("vm")]


def tight(**limits):
    return replace(PATIENT, **limits)


def ended(result):
    return result.reason, result.exit_code, result.stdout


# --- what a program gets ---

def test_a_python_program_runs_on_a_kernel_of_its_own(vm, job):
    result = vm.run(job("import os\nprint(os.uname().release)\n", limits=PATIENT))

    assert (result.reason, result.level) == (Reason.EXITED, Level.VM)
    assert result.stdout.strip() != os.uname().release


def test_the_exit_code_and_both_streams_are_the_programs(vm, program):
    result = vm.run(program("echo out; echo err >&2; exit 3"))

    assert (*ended(result), result.stderr) == (Reason.EXITED, 3, "out\n", "err\n")


def test_standard_input_arrives_whole(vm, program):
    assert vm.run(program("wc -c", stdin=b"x" * 300_000)).stdout == "300000\n"


def test_no_input_is_an_end_at_once(vm, program):
    assert ended(vm.run(program("cat; echo over"))) == (Reason.EXITED, 0, "over\n")


def test_live_input_is_answered_before_it_ends(vm, program):
    reading, writing = os.pipe()
    answers = []

    def answered(data):
        answers.append(data)
        if b"got first" in data:
            os.write(writing, b"second\n")
            os.close(writing)

    os.write(writing, b"first\n")
    with os.fdopen(reading, "rb", buffering=0) as live:
        result = vm.run(program('while read x; do echo "got $x"; done', live=live, on_stdout=answered))

    assert result.stdout == "got first\ngot second\n"


def test_files_arguments_and_variables_are_as_given(vm, program):
    given = program('cat /sandbox/data/input; echo "$1 $WORD $PWD"; /sandbox/tool', env={"WORD": "said", "PATH": "/usr/bin"},
                    cwd="/tmp")
    command = replace(given.command, argv=(*given.command.argv, "argument"), executables=frozenset({"tool"}),
                      files=given.command.files | {"data/input": b"input\n", "tool": b"#!/bin/sh\necho tool\n"})

    assert vm.run(replace(given, command=command)).stdout == "input\nargument said /tmp\ntool\n"


def test_two_runs_of_one_snapshot_have_other_random_numbers_and_the_right_time(vm, job):
    code = "import os, time, uuid\nprint(os.urandom(16).hex(), uuid.uuid4(), hash('x'), time.time())\n"

    first, second = (vm.run(job(code, limits=PATIENT)).stdout.split() for _ in range(2))

    assert [one for one, other in zip(first, second, strict=True) if one == other] == []
    assert abs(float(second[3]) - time.time()) < 60


def test_without_being_renewed_they_would_have_the_same_random_numbers_and_an_old_clock(vm, program, monkeypatch):
    monkeypatch.setattr(Machine, "renew", lambda _: None)
    monkeypatch.setattr(courses, "time_now", lambda: None)

    first, second = (vm.run(program("head -c 16 /dev/urandom | od -An -tx1; date +%s")).stdout for _ in range(2))

    assert first.splitlines()[0] == second.splitlines()[0]
    assert time.time() - int(second.splitlines()[1]) > 1


# --- what it cannot have ---

def test_a_program_has_no_privileges(vm, program):
    result = vm.run(program("id -u; grep -E '^(CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/self/status | tr '\\t' ' '"))

    assert result.stdout.splitlines() == [
        "1000", "CapEff: 0000000000000000", "CapBnd: 0000000000000000", "NoNewPrivs: 1", "Seccomp: 2"]


def test_a_program_finds_no_network_device_and_none_of_the_machines_own(vm, program):
    result = vm.run(program("tail -n +3 /proc/net/dev | cut -d: -f1; ls /dev; ls -A /sys"))

    assert result.stdout.split() == [
        "lo", "fd", "full", "null", "ptmx", "pts", "random", "shm", "stderr", "stdin", "stdout", "tty", "urandom", "zero"]


def test_a_program_can_write_to_its_own_folders_alone(vm, program):
    result = vm.run(program("for place in /tmp /dev/shm /sandbox /usr /etc /workspace /run / /dev; do "
                            "echo x 2>/dev/null >$place/file && echo $place; done"))

    assert result.stdout.split() == ["/tmp", "/dev/shm"]


def test_a_program_sees_its_own_processes_alone(vm, program):
    result = vm.run(program("ls -d /proc/[0-9]* | wc -l"))

    assert int(result.stdout) <= 4


def test_a_network_is_refused_before_anything_starts(tmp_path, program):
    with pytest.raises(IsolationUnavailable, match="no network device"):
        VirtualMachine(cache_dir=tmp_path).run(program("true", network=Network(allow_hosts=("example.org",))))


# --- limits, each with the same program where there is room ---

@pytest.mark.parametrize(("code", "limit", "reason"), [
    ("head -c 120m /dev/zero > /tmp/file; echo kept", {"memory_bytes": 64 * MIB}, Reason.OUT_OF_MEMORY),
    ("for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & done; wait; echo kept", {"processes": 6}, Reason.TOO_MANY_PROCESSES),
    ("head -c 4m /dev/zero > /tmp/file && echo kept", {"disk_bytes": 2 * MIB}, Reason.OUT_OF_DISK),
    ("i=0; while [ $i -lt 200 ]; do echo > /tmp/$i || exit 1; i=$((i+1)); done; echo kept", {"files": 100}, Reason.OUT_OF_DISK),
    ("i=0; while [ $i -lt 150000 ]; do i=$((i+1)); done; echo kept", {"cpu_seconds": 0.3}, Reason.CPU_TIME),
], ids=["memory", "processes", "disk", "files", "cpu time"])
def test_a_limit_ends_what_would_pass_with_room(vm, program, code, limit, reason):
    stopped, roomy = vm.run(program(code, limits=tight(**limit))), vm.run(program(code))

    assert (stopped.reason, "kept" in stopped.stdout) == (reason, False)
    assert ended(roomy) == (Reason.EXITED, 0, "kept\n")


def test_a_program_that_takes_too_long_is_stopped_and_its_effects_are_told(vm, program):
    result = vm.run(program("echo begun; echo x > /tmp/left; trap '' TERM; sleep 300", limits=tight(wall_seconds=5.0)))

    assert ended(result) == (Reason.TIMEOUT, 124, "begun\n")
    assert 5.0 <= result.execution_time < 15.0
    assert result.effects.files == (FileEffect(path="/tmp/left", kind="file", size=2, mode=0o644),)


def test_output_beyond_the_limit_is_left_out_of_the_middle(vm, program):
    result = vm.run(program("head -c 300000 /dev/zero | tr '\\0' y", limits=tight(output_bytes=1000)))

    assert (result.reason, result.stdout_dropped, len(result.stdout_bytes)) == (Reason.EXITED, 299_000, 1033)


def test_a_process_that_stays_behind_is_named_and_dies(vm, program):
    result = vm.run(program("setsid sleep 300 & until grep -q sleep /proc/$!/comm; do :; done; echo ok"))

    assert (*ended(result), result.effects.processes_left) == (Reason.EXITED, 0, "ok\n", ("sleep",))


def test_a_result_says_what_held_and_by_what(vm, program):
    result = vm.run(program("true", limits=tight(cpu_seconds=30)))

    told = {name: by for name, by in result.enforced.items() if name not in ("host user", "machine", "machine monitor", "cpu weight")}
    assert told == {
        "network": "none, no device", "root": "minimal, read-only disk", "capabilities": "none", "no new privileges": "yes",
        "system calls": "allow-list", "memory": "guest cgroup v2", "processes": "guest cgroup v2", "cores": "guest cgroup v2",
        "swap": "none in the guest", "wall time": "supervisor", "disk": "tmpfs size", "files": "tmpfs inodes",
        "open files": "rlimit", "output": "supervisor", "cpu time": "guest cgroup v2"}
    assert result.enforced["machine"].startswith("own kernel, ")


def test_the_use_of_a_run_is_counted_by_the_guest(vm, program):
    used = vm.run(program("head -c 8m /dev/zero > /tmp/file")).usage

    assert used.cpu_seconds > 0
    assert used.disk_bytes > 8 * MIB
    assert 8 * MIB < used.memory_peak_bytes < 64 * MIB
    assert used.written_bytes > 8 * MIB


# --- what is read back ---

def test_a_build_is_read_back_without_following_links(vm, program):
    result = vm.run(program("cd /tmp/build; echo p > program; chmod +x program; mkdir sub; echo q > sub/file; "
                            "ln -s /etc/passwd link; mkfifo pipe", build=True))

    assert result.artifacts == {
        "program": Artifact(data=b"p\n", executable=True), "sub/file": Artifact(data=b"q\n")}


def test_a_file_asked_for_is_read_back(vm, program):
    result = vm.run(program("echo report > /tmp/out/report", collect="out/"))

    assert result.artifacts == {"report": Artifact(data=b"report\n")}


def test_a_project_is_changed_in_the_guest_and_not_on_the_host(vm, program, project):
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}

    result = vm.run(program(
        "cat link src/two.txt laid; ./run.sh; echo changed > src/one.txt; rm src/two.txt; echo made > new; "
        f"cat {project}/new", workspace=str(project), cwd="/workspace",
        overlay={"laid": Artifact(data=b"laid\n"), "run.sh": Artifact(data=b"#!/bin/sh\necho replaced\n")}, keep_layer=True))

    assert ended(result) == (Reason.EXITED, 0, "one\ntwo\nlaid\nreplaced\nmade\n")
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
    assert result.layer == {
        "laid": Artifact(data=b"laid\n", mode=0o644), "new": Artifact(data=b"made\n", mode=0o644), "src/two.txt": None,
        "run.sh": Artifact(data=b"#!/bin/sh\necho replaced\n", executable=True, mode=0o755),
        "src/one.txt": Artifact(data=b"changed\n", mode=0o644)}
    assert {(file.path, file.act) for file in result.effects.files} == {
        ("/workspace/laid", "made"), ("/workspace/new", "made"), ("/workspace/run.sh", "changed"),
        ("/workspace/src/one.txt", "changed"), ("/workspace/src/two.txt", "deleted")}


def test_a_folder_made_anew_hides_all_that_was_in_it(vm, program, project):
    result = vm.run(program("rm -r src; mkdir src; echo three > src/three.txt", workspace=str(project), cwd="/workspace",
                            keep_layer=True))

    assert result.layer == {
        "src/one.txt": None, "src/two.txt": None, "src/three.txt": Artifact(data=b"three\n", mode=0o644)}


def test_a_project_that_changed_on_the_host_is_seen_changed(vm, program, project):
    show = program("cat src/one.txt", workspace=str(project), cwd="/workspace")
    first = vm.run(show)

    (project / "src/one.txt").write_text("two\n")

    assert (first.stdout, vm.run(show).stdout) == ("one\n", "two\n")


def test_every_file_of_a_wide_project_is_read_as_it_is(vm, program, tmp_path):
    wide = tmp_path / "wide"
    wide.mkdir()
    for number in range(500):
        (wide / f"-{number:03}-{'n' * (number % 200)}").write_bytes(bytes([number % 256]) * (number * 37 % 9000))
    (wide / "\udcff odd name").write_bytes(b"odd")
    digest = "ls -A | wc -l; find . -type f | LC_ALL=C sort | xargs -d '\\n' cat | sha256sum | cut -c1-64"
    found = sorted(wide.iterdir(), key=lambda path: os.fsencode(path.name))
    expected = hashlib.sha256(b"".join(path.read_bytes() for path in found)).hexdigest()

    result = vm.run(program(digest, workspace=str(wide), cwd="/workspace"))

    assert result.stdout.split() == ["501", expected]


# --- many at once ---

def test_runs_at_the_same_time_do_not_meet(vm, program):
    results = {}

    def run(name):
        results[name] = vm.run(program(f"echo {name} > /tmp/mine; sleep 1; cat /tmp/*")).stdout

    threads = [threading.Thread(target=run, args=(name,)) for name in ("first", "second")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert results == {"first": "first\n", "second": "second\n"}
