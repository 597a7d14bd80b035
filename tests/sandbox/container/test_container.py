"""What a run in a container gives back, with real engines: broadly by Docker's socket, the main things by each way."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import sys
import threading
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest
from containers import children, inspected, left_of, wait_until

from windtunnel.core.effects import FileEffect
from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.result import Artifact, Level, Reason

pytestmark = pytest.mark.xdist_group("containers")
SLEEP = "import time; print('here', flush=True); time.sleep(60)"


def told(result):
    return result.exit_code, result.reason, result.stdout, result.stderr


def in_thread(act):
    """Starts it, and gives a call that waits for its answer."""
    answers = []
    thread = threading.Thread(target=lambda: answers.append(act()))
    thread.start()

    def answer():
        thread.join(60)
        return answers[0]

    return answer


# --- by each way ---

def test_a_program_is_heard_and_its_exit_code_kept(each, job):
    code = "import sys; print('out'); print('err', file=sys.stderr); print(sys.stdin.read()); sys.exit(7)"

    result = each.run(job(code, command={"stdin": b"given"}))

    assert told(result) == (7, Reason.EXITED, "out\ngiven\n", "err\n")


def test_the_result_names_the_level_the_container_and_a_run_of_the_same_id(each, job):
    result = each.run(job("print(1)"))

    assert (result.level, result.warm, result.language) == (Level.CONTAINER, False, "python")
    assert re.fullmatch("[0-9a-f]{64}", result.container)
    assert (result.container_id, result.id) == (result.container, result.container[:32])


def test_a_program_over_its_time_is_stopped(each, job):
    result = each.run(job(SLEEP, limits=Limits(wall_seconds=1)))

    assert told(result) == (124, Reason.TIMEOUT, "here\n", "")
    assert 1 <= result.execution_time < 5


def test_a_program_over_its_memory_is_ended_by_the_kernel(each, job):
    result = each.run(job("x = bytearray(200 << 20); print('no')", limits=Limits(memory_bytes=64 * MIB)))

    assert (result.exit_code, result.reason, result.stdout) == (137, Reason.OUT_OF_MEMORY, "")


def test_two_megabytes_on_both_streams_come_out_whole(each, job):
    code = "import sys\nfor n in range(32): sys.stdout.write('o' * 65536); sys.stderr.write('e' * 65536)"

    result = each.run(job(code, limits=Limits(output_bytes=4 * MIB)))

    assert (result.stdout_bytes, result.stderr_bytes) == (b"o" * 2 * MIB, b"e" * 2 * MIB)


def test_a_project_is_laid_under_an_overlay_and_stays_as_it_was_to_the_time_stamps(each, run_in, project):
    before = snapshot(project)

    result = run_in(each, project, "cat src/a.txt; echo x > src/a.txt; rm -r src/deep; mkdir q; echo y > q/y; chmod 700 run.sh")

    assert (result.stdout, result.stderr, result.enforced["workspace"]) == ("a\n", "", "copy-on-write")
    assert effects(result) == {
        "src/a.txt": "changed", "src/deep/b.txt": "deleted", "q": "made", "q/y": "made", "run.sh": "changed"}
    assert snapshot(project) == before


def test_a_closed_sandbox_cancels_the_runs_of_other_threads_and_leaves_nothing(engine, make_container, job):
    container = make_container(engine)
    began = threading.Event()
    answer = in_thread(lambda: container.run(replace(job(SLEEP), on_stdout=lambda _: began.set())))
    assert began.wait(30)

    container.close()

    assert told(answer()) == (130, Reason.CANCELLED, "here\n", "")
    assert engine.containers(label=container.label) == {}


def test_a_waiting_container_is_used_once_each(engine, make_container, job):
    container = make_container(engine, pool_size=1)
    look = job("import os; print(os.listdir('/tmp')); open('/tmp/mark', 'w')")
    container.warm_up(look)

    first = container.run(look)
    container.flush()
    second = container.run(look)

    assert [(result.warm, result.stdout) for result in (first, second)] == [(True, f"{in_tmp()}\n"), (True, f"{in_tmp()}\n")]
    assert first.container != second.container


def test_usage_of_a_running_container_can_be_asked_for_by_its_id(engine, make_container, job):
    container = make_container(engine)
    began = threading.Event()
    answer = in_thread(lambda: container.run(replace(
        job("x = bytearray(40 << 20)\n" + SLEEP, limits=Limits(wall_seconds=20)), on_stdout=lambda _: began.set())))
    assert began.wait(30)
    (running,) = engine.containers(label=container.label)

    usage = container.usage(running)
    container.close()

    assert 40 * MIB < usage.memory_peak_bytes < 512 * MIB
    assert answer().container == running
    assert container.usage(running) is None


# --- by Docker's socket ---

@pytest.mark.parametrize(("code", "exit_code"), [
    ("raise SystemExit(0)", 0), ("raise SystemExit(1)", 1), ("raise SystemExit(255)", 255),
    ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", 143), ("import os; os.abort()", 134),
    ("import os; os._exit(125)", 125)])
def test_an_exit_code_is_the_programs_own(shared, job, code, exit_code):
    result = shared.run(job(code))

    assert (result.exit_code, result.reason) == (exit_code, Reason.EXITED)


def test_live_input_is_answered_as_it_comes(shared, job):
    source, sink = os.pipe()
    heard = threading.Event()
    with os.fdopen(source, "rb") as reader, os.fdopen(sink, "wb", buffering=0) as writer:
        writer.write(b"one\n")
        code = "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)"
        answer = in_thread(lambda: shared.run(job(code, stdin=reader, on_stdout=lambda _: heard.set())))
        assert heard.wait(30), "no answer before the end of the input"
        writer.write(b"two\n")
        writer.close()

        assert told(answer()) == (0, Reason.EXITED, "ONE\nTWO\n", "")


def test_a_megabyte_of_input_arrives_whole(shared, job):
    result = shared.run(job("import sys; print(len(sys.stdin.buffer.read()))", command={"stdin": b"x" * MIB}))

    assert result.stdout == f"{MIB}\n"


def test_a_program_that_reads_no_input_is_not_kept_waiting_by_it(shared, job):
    result = shared.run(job("print('done')", command={"stdin": b"x" * 8 * MIB}))

    assert told(result) == (0, Reason.EXITED, "done\n", "")


def test_output_over_its_limit_is_kept_as_head_and_tail_and_its_middle_counted(shared, job):
    code = "import sys; sys.stdout.write('a' * 3_000_000 + 'z' * 3_000_000)"

    result = shared.run(job(code, limits=Limits(output_bytes=1000)))

    assert (result.stdout, result.stdout_dropped) == (
        "a" * 500 + "\n[... 5999000 bytes left out ...]\n" + "z" * 500, 5_999_000)


def test_each_whole_stream_is_spilled_where_it_was_asked_for(shared, job, tmp_path):
    shared.run(job("import sys; print('o' * 100000); print('e', file=sys.stderr)", limits=Limits(output_bytes=10),
                   spill=str(tmp_path)))

    assert {path.name: path.stat().st_size for path in tmp_path.iterdir()} == {"stdout": 100001, "stderr": 2}


def test_a_program_over_its_processor_time_is_stopped(shared, job):
    result = shared.run(job("while True: pass", limits=Limits(cpu_seconds=0.5, wall_seconds=20)))

    assert (result.exit_code, result.reason) == (124, Reason.CPU_TIME)
    assert 0.5 <= result.usage.cpu_seconds < 3


def test_half_a_processor_is_half_a_processor(shared, job):
    code = "import time\nend = time.monotonic() + 1\nwhile time.monotonic() < end: pass"

    result = shared.run(job(code, limits=Limits(cores=0.2)))

    assert result.exit_code == 0
    assert result.usage.cpu_seconds < 0.7


def test_processes_over_their_number_are_refused_and_counted(shared, job):
    code = ("import os, time\nmade = 0\ntry:\n    while True:\n        if os.fork() == 0: time.sleep(60)\n        made += 1\n"
            "except OSError as error: print(made, error.strerror, flush=True); os._exit(1)")

    result = shared.run(job(code, limits=Limits(processes=20)))

    assert told(result) == (1, Reason.TOO_MANY_PROCESSES, "19 Resource temporarily unavailable\n", "")


def test_a_full_disk_is_told_from_other_failures(shared, job):
    code = "open('/tmp/big', 'wb').write(bytes(9 << 20))"

    result = shared.run(job(code, limits=Limits(disk_bytes=4 * MIB)))

    assert (result.exit_code, result.reason) == (1, Reason.OUT_OF_DISK)
    assert "OSError" in result.stderr


def test_all_writable_places_together_have_one_size(shared, job):
    code = ("import errno\ndef put(path):\n    try:\n        open(path, 'wb').write(bytes(3 << 20)); return 'ok'\n"
            "    except OSError as error: return errno.errorcode[error.errno]\n"
            "print(*map(put, ['/tmp/a', '/dev/shm/b', '/sandbox/c']))")

    result = shared.run(job(code, limits=Limits(disk_bytes=4 * MIB), read_only=False))

    assert sorted(result.stdout.split()) == ["ENOSPC", "ENOSPC", "ok"]


def test_files_over_their_number_are_refused(shared, job):
    code = "import os\ntry:\n    for n in range(1000): os.mkdir(f'/tmp/{n}')\nexcept OSError as error: print(error.strerror, n < 100)"

    result = shared.run(job(code, limits=Limits(files=100)))

    assert result.stdout == "No space left on device True\n"


def test_the_environment_is_what_was_given_and_nothing_else(shared, job):
    made = job("import os; print(sorted(os.environ.items()))")
    env = {"A": "one two", "B": "$(id)'\"\\", "LC_CTYPE": "C.UTF-8"}

    result = shared.run(replace(made, command=replace(made.command, env=env)))

    assert result.stdout == f"{sorted(env.items())}\n"


def test_arguments_with_every_sign_a_shell_knows_arrive_as_they_are(shared, job):
    made = job("import sys; print(sys.argv[1:])")
    words = ("$HOME", "a b", "'\"", "`id`", "*", "-n", "", "new\nline", "\\")

    result = shared.run(replace(made, command=replace(made.command, argv=(*made.command.argv, *words))))

    assert result.stdout == f"{list(words)}\n"


def test_files_are_placed_and_may_be_executed_where_that_was_asked_for(shared, job):
    code = ("import os, subprocess; print(open('/sandbox/data/a.txt').read(), subprocess.check_output(['/sandbox/tool']), "
            "os.access('/sandbox/data/a.txt', os.X_OK))")
    made = job(code, files={"data/a.txt": b"text", "tool": b"#!/bin/sh\necho ran\n"})

    result = shared.run(replace(made, command=replace(made.command, executables=frozenset({"tool"}))))

    assert told(result) == (0, Reason.EXITED, "text b'ran\\n' False\n", "")


def test_the_sandbox_folder_is_writable_only_where_that_was_asked_for(shared, job):
    code = "open('/sandbox/made', 'w').write('x')"

    refused, allowed = shared.run(job(code)), shared.run(job(code, read_only=False))

    assert "Read-only file system" in refused.stderr
    assert {file.path for file in allowed.effects.files} == {"/sandbox/main.py", "/sandbox/made"}


def test_what_a_build_made_is_read_back(shared, job):
    code = "import os; open('/tmp/build/tool', 'w').write('bin'); os.chmod('/tmp/build/tool', 0o755)"

    result = shared.run(job(code, command={"build": True}))

    assert dict(result.artifacts) == {"tool": Artifact(data=b"bin", executable=True)}


def test_a_folder_to_collect_is_made_beforehand_and_read_when_all_is_dead(shared, job):
    code = "import os, time\nopen('/tmp/out/a', 'w').write('1')\nif os.fork() == 0:\n    time.sleep(5); open('/tmp/out/late', 'w')"

    result = shared.run(job(code, command={"collect": "out/"}))

    assert dict(result.artifacts) == {"a": Artifact(data=b"1")}


def test_links_that_lead_out_are_reported_and_never_read(shared, job, tmp_path):
    (tmp_path / "secret").write_text("host")
    code = f"import os; os.symlink({str(tmp_path / 'secret')!r}, '/tmp/out/link'); os.symlink('/', '/tmp/up'); os.mkfifo('/tmp/out/pipe')"

    result = shared.run(job(code, command={"collect": "out/"}))

    assert dict(result.artifacts) == {}
    assert {file.path: file.kind for file in result.effects.files} == {
        "/tmp/out": "folder", "/tmp/out/link": "link", "/tmp/out/pipe": "other", "/tmp/up": "link"}


def test_files_left_in_writable_places_are_effects(shared, job):
    result = shared.run(job("import os; open('/tmp/a', 'w').write('abc'); open('/dev/shm/b', 'w'); os.chmod('/tmp/a', 0o640)"))

    assert set(result.effects.files) == {
        FileEffect(path="/tmp/a", kind="file", size=3, mode=0o640), FileEffect(path="/dev/shm/b", kind="file", mode=0o644)}
    assert result.effects.watched == ("files", "processes", "network", "blocked")


def test_what_was_used_is_measured(shared, job):
    code = "import os\nx = bytearray(60 << 20)\nfor n in range(10 ** 6): pass\nopen('/tmp/f', 'wb').write(bytes(1 << 20))\nif os.fork() == 0: os._exit(0)\nos.wait()"

    usage = shared.run(job(code)).usage

    assert 0.01 < usage.cpu_seconds < 10
    assert 60 * MIB < usage.memory_peak_bytes < 512 * MIB
    assert usage.processes_peak is None or usage.processes_peak >= 2
    assert MIB <= usage.disk_bytes < 4 * MIB


def test_the_list_of_what_was_enforced_is_exact(shared, job):
    facts = shared.engine.facts()
    by = f"cgroup v{facts.groups}, by docker"

    result = shared.run(job("print(1)", limits=Limits(cpu_seconds=5)))

    assert result.enforced == {
        "engine": f"docker {facts.version}, by its socket", "runtime": "runc", "mount namespace": "own",
        "process namespace": "own", "ipc namespace": "own", "host name namespace": "own", "cgroup namespace": "own",
        "network": "none", "root": "image, read-only", "host user": f"uid {shared._owner().uid}", "capabilities": "none",
        "no new privileges": "yes", "system calls": "allow-list", "wall time": "supervisor", "output": "supervisor",
        "open files": "rlimit", "disk": "tmpfs size", "files": "tmpfs inodes",
        **dict.fromkeys(("memory", "processes", "swap", "cores", "cpu weight", "cpu time"), by)}


def test_the_container_carries_our_label_and_is_what_its_specification_says(docker_engine, make_container, job):
    container = make_container(docker_engine)
    began = threading.Event()
    answer = in_thread(lambda: container.run(replace(job(SLEEP), on_stdout=lambda _: began.set())))
    assert began.wait(30)
    label = container.label.partition("=")[2]
    (running,) = docker_engine.containers(label=f"windtunnel={label}")

    seen = inspected(docker_engine, running)
    container.close()
    answer()

    host = seen["HostConfig"]
    assert seen["Config"]["Labels"]["windtunnel"] == label
    assert {name: host[name] for name in ("NetworkMode", "ReadonlyRootfs", "CapDrop", "Privileged", "PidsLimit", "Memory", "MemorySwap", "Init", "IpcMode")} == {
        "NetworkMode": "none", "ReadonlyRootfs": True, "CapDrop": ["ALL"], "Privileged": False, "PidsLimit": 102,
        "Memory": 512 * MIB, "MemorySwap": 512 * MIB, "Init": True, "IpcMode": "private"}
    assert seen["Config"]["User"].split(":")[0] != "0"


# --- a project ---

@pytest.fixture
def project(tmp_path):
    tmp_path.chmod(0o755)
    top = tmp_path / "project"
    (top / "src" / "deep").mkdir(parents=True)
    (top / "src" / "a.txt").write_text("a\n")
    (top / "src" / "deep" / "b.txt").write_text("b\n")
    (top / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (top / "run.sh").chmod(0o755)
    return top


@pytest.fixture
def run_in(sh):
    def run(container, project, script, *, limits=None, **options):
        made = sh(script)
        command = replace(made.command, cwd="/workspace", workspace=str(project), **options)
        return container.run(replace(made, command=command, limits=limits or Limits()))

    return run


def snapshot(top):
    return {str(path.relative_to(top)): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.lstat().st_ctime_ns,
                                         path.read_bytes() if path.is_file() else b"") for path in top.rglob("*")}


def effects(result):
    return {file.path.removeprefix("/workspace/"): file.act for file in result.effects.files
            if file.path.startswith("/workspace/")}


def test_a_change_is_laid_over_the_project_before_the_program_starts(shared, run_in, project):
    result = run_in(shared, project, "cat src/a.txt new/n.txt; ls src; ./run.sh; stat -c %a run.sh new/n.txt tool", overlay={
        "src/a.txt": Artifact(data=b"changed\n"), "new/n.txt": Artifact(data=b"new\n"), "src/deep/b.txt": None,
        "run.sh": Artifact(data=b"#!/bin/sh\necho other\n"), "tool": Artifact(data=b"x", mode=0o755)})

    assert (result.stdout, result.stderr) == ("changed\nnew\na.txt\ndeep\nother\n755\n644\n755\n", "")


def test_what_a_run_left_in_the_project_is_read_back_where_that_was_asked_for(shared, run_in, project):
    result = run_in(shared, project, "mkdir out; echo bin > out/tool; chmod 755 out/tool; rm src/a.txt; ln -s / up", keep_layer=True)

    assert dict(result.layer) == {"out/tool": Artifact(data=b"bin\n", executable=True, mode=0o755), "src/a.txt": None}


def test_the_project_is_also_found_by_its_path_on_the_host(shared, run_in, project):
    result = run_in(shared, project, f"cat {project}/src/a.txt; echo x > {project}/made; ls made")

    assert (result.stdout, result.stderr, effects(result)) == ("a\nmade\n", "", {"made": "made"})


def test_a_folder_made_anew_does_not_hide_what_it_lost(shared, run_in, project):
    assert effects(run_in(shared, project, "rm -r src; mkdir src; echo n > src/n")) == {
        "src/a.txt": "deleted", "src/deep/b.txt": "deleted", "src/n": "made"}


def test_a_file_only_its_owner_may_read_is_readable_inside_as_it_is_outside(shared, run_in, project):
    (project / "private").write_text("mine\n")
    (project / "private").chmod(0o400)

    assert run_in(shared, project, "cat private").stdout == "mine\n"


def test_what_is_written_to_the_project_counts_against_the_disk(shared, run_in, project):
    result = run_in(shared, project, "head -c 20m /dev/zero > big", limits=Limits(disk_bytes=4 * MIB))

    assert result.reason is Reason.OUT_OF_DISK


def test_a_copy_does_where_no_overlay_can_be_mounted(shared, run_in, project, monkeypatch):
    monkeypatch.setattr("windtunnel.sandbox.container.cell.Cell._mount_overlay", lambda *_: False)
    before = snapshot(project)

    result = run_in(shared, project, "./run.sh; echo x > src/a.txt; rm src/deep/b.txt; echo n > new", keep_layer=True)

    assert (result.stdout, result.enforced["workspace"]) == ("ran\n", "copy")
    assert effects(result) == {"src/a.txt": "changed", "src/deep/b.txt": "deleted", "new": "made"}
    assert dict(result.layer) == {
        "src/a.txt": Artifact(data=b"x\n", mode=0o644), "new": Artifact(data=b"n\n", mode=0o644), "src/deep/b.txt": None}
    assert snapshot(project) == before


# --- many at once, and the end ---

def descriptors():
    """What each of ours leads to, but for the connections of the docker package, of which it keeps up to 25."""
    found = []
    for path in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(str(path.readlink()))
    return sorted(one for one in found if not one.startswith("socket:"))


def test_many_threads_each_get_their_own_answer(shared, job):
    answers = [in_thread(lambda n=n: shared.run(job(f"import time; time.sleep(0.2); print({n})"))) for n in range(8)]

    assert [answer().stdout for answer in answers] == [f"{n}\n" for n in range(8)]


def test_after_close_there_is_no_container_mount_folder_process_thread_or_descriptor(docker_engine, make_container, job, project, run_in):
    make_container(docker_engine).run(job("print(1)"))  # connections that stay are made now
    before, threads = (descriptors(), children(), left_of(os.getpid(), engine=docker_engine)), set(threading.enumerate())
    container = make_container(docker_engine, pool_size=2)
    container.warm_up(job("print(1)"))
    container.run(job("print(1)"))
    run_in(container, project, "echo x > y")

    container.close()

    assert wait_until(lambda: len(descriptors()) <= len(before[0]), seconds=5), list((Counter(descriptors()) - Counter(before[0])).items())
    assert (children(), left_of(os.getpid(), engine=docker_engine)) == before[1:]
    assert wait_until(lambda: not [thread for thread in set(threading.enumerate()) - threads if thread.name.startswith("windtunnel-")])


def test_a_closed_sandbox_may_be_used_again(docker_engine, make_container, job):
    container = make_container(docker_engine)
    container.run(job("print(1)"))
    container.close()

    assert container.run(job("print(2)")).stdout == "2\n"


def test_a_container_that_was_killed_by_others_is_told_by_its_exit_code(docker_engine, make_container, job):
    container = make_container(docker_engine)
    began = threading.Event()
    answer = in_thread(lambda: container.run(replace(job(SLEEP), on_stdout=lambda _: began.set())))
    assert began.wait(30)
    (running,) = docker_engine.containers(label=container.label)

    os.kill(docker_engine.state(running).pid, signal.SIGKILL)

    assert (answer().exit_code, answer().stdout) == (137, "here\n")


def test_a_waiting_container_that_died_is_not_used(docker_engine, make_container, job):
    container = make_container(docker_engine, pool_size=1)
    container.warm_up(job("print(1)"))
    (waiting,) = docker_engine.containers(label=container.label)
    docker_engine.kill(waiting)
    assert wait_until(lambda: not docker_engine.state(waiting).running)

    result = container.run(job("print(1)"))

    assert (result.stdout, result.container == waiting) == ("1\n", False)


FORK = """
import os
container = make_container(engine, pool_size=1)
container.warm_up(python_job("print(1)"))
pid = os.fork()
if pid == 0:
    print(container.run(python_job("print('child')")).stdout, end="", flush=True)
    container.close()
    os._exit(0)
os.waitpid(pid, 0)
result = container.run(python_job("print('parent')"))
print(result.stdout, result.warm, end=" ", flush=True)
container.close()
print(left_of(os.getpid(), engine=engine) + left_of(pid, engine=engine))
"""


def test_a_forked_child_has_containers_of_its_own_and_leaves_the_parents_alone(start_supervisor):
    process = start_supervisor(FORK)

    assert process.communicate(timeout=60)[0].split() == ["child", "parent", "True", "[]"]


def test_a_program_of_another_runtime_is_told_apart(gvisor, make_container, job):
    result = make_container(gvisor, runtime="runsc").run(job("import os; print(os.uname().release); open('/tmp/x', 'w')"))

    assert (result.exit_code, result.enforced["runtime"]) == (0, "runsc")
    assert result.stdout.strip() != os.uname().release
    assert result.enforced["system calls"] == "a kernel of its own, by runsc"
    assert (result.enforced["memory"], "processes" in result.enforced) == ("supervisor", False), "it ignores control groups here"
    assert [file.path for file in result.effects.files] == ["/tmp/x"]


def test_another_runtime_that_the_engine_knows_raises_the_same_walls(engine, make_container, job):
    if shutil.which("crun") is None:
        pytest.skip("crun is not installed here")
    program = "import ctypes; ctypes.CDLL(None).mount(None, None, None, 0, None); open('/tmp/x', 'w'); print(open('/proc/self/status').read())"

    try:
        result = make_container(engine, runtime="crun").run(job(program))
    except IsolationUnavailable as refused:
        if "hybrid mode not supported" not in str(refused):
            raise
        pytest.skip(f"crun refuses the control groups of this machine, and we said so: {refused}")

    status = dict(line.split(":\t") for line in result.stdout.splitlines() if ":\t" in line)
    assert (result.exit_code, result.enforced["runtime"]) == (0, "crun")
    assert (status["CapEff"], status["CapBnd"], status["NoNewPrivs"], status["Seccomp"]) == ("0" * 16, "0" * 16, "1", "2")
    assert [call.name for call in result.effects.blocked] == ["mount"]
    assert [file.path for file in result.effects.files] == ["/tmp/x"]


def test_only_namespaces_that_are_its_own_are_told_of(each, job):
    result = each.run(job("import os; print(os.stat('/proc/self/ns/cgroup').st_ino)"))

    own = int(result.stdout) != Path("/proc/self/ns/cgroup").stat().st_ino
    assert (result.enforced.get("cgroup namespace") == "own") is own


def in_tmp():
    """What /tmp holds at its start: nothing, unless the interpreter itself lies below the host's."""
    return sorted({path.split("/")[2] for path in (sys.prefix, sys.base_prefix) if path.startswith("/tmp/")})

