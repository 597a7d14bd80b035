"""Builds of compiled languages, and a caller's own stages."""

import shutil

import pytest

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.result import Artifact, ExecutionResult, Reason
from windtunnel.engine.run import Snippet, run

HELLO = '#include <stdio.h>\nint main(void) { puts("hello"); return 0; }\n'

needs_gcc = pytest.mark.skipif(shutil.which("gcc") is None, reason="to install it: apt-get install gcc libc6-dev")


def told(result):
    return [(stage.name, stage.exit_code, stage.reason, stage.cached) for stage in result.stages]


@needs_gcc
def test_a_second_run_of_the_same_source_finds_it_built(new_tunnel):
    first, second = (new_tunnel().run(HELLO, "c") for _ in range(2))

    assert (first.stdout, second.stdout) == ("hello\n", "hello\n")
    assert told(first) == [("build", 0, Reason.EXITED, False), ("run", 0, Reason.EXITED, False)]
    assert told(second) == [("build", 0, Reason.EXITED, True), ("run", 0, Reason.EXITED, False)]


@needs_gcc
@pytest.mark.parametrize("change", [{"code": HELLO.replace("hello", "other")}, {"files": {"part.h": "x"}}], ids=["source", "header"])
def test_a_changed_source_is_built_again(tunnel, change):
    tunnel.run(HELLO, "c")

    result = tunnel.run(**{"code": HELLO, "language": "c", **change})

    assert told(result)[0] == ("build", 0, Reason.EXITED, False)


@needs_gcc
def test_the_product_is_read_only_to_the_program(tunnel):
    code = '#include <stdio.h>\n#include <unistd.h>\nint main(int c, char **v) { printf("%s %d %d", v[0], !!fopen(v[0], "r+"), unlink(v[0])); }\n'

    assert tunnel.run(code, "c").stdout == "/sandbox/build/program 0 -1"


@needs_gcc
def test_a_compile_error_is_a_result_that_ends_with_the_build(tunnel):
    result = tunnel.run("int main(void) { return missing; }\n", "c")

    assert (result.success, result.reason, result.exit_code, result.language) == (False, Reason.EXITED, 1, "c")
    assert told(result) == [("build", 1, Reason.EXITED, False)]
    assert "/sandbox/main.c:1:25: error: " in result.stderr


@needs_gcc
def test_a_failed_build_is_not_kept(tunnel):
    runs = [tunnel.run("int main(void) { return lost; }\n", "c") for _ in range(2)]

    assert [told(result) for result in runs] == [[("build", 1, Reason.EXITED, False)]] * 2


@needs_gcc
def test_a_built_program_gets_the_input_and_the_network_that_were_asked_for(tunnel):
    code = '#include <stdio.h>\nint main(void) { printf("%d", getchar()); }\n'

    result = tunnel.run(code, "c", stdin="A", network_enabled=True)

    assert (result.stdout, result.enforced["network"]) == ("65", "host")


def test_a_build_gets_no_network_whatever_the_run_gets(rig, fake):
    run(rig, Snippet(code=HELLO, language="c", network_enabled=True, stdin="x"))

    build, last = fake.jobs
    assert [(job.network.host, job.command.stdin, job.read_only) for job in (build, last)] == [
        (False, b"", True), (True, b"x", True)]


def test_what_a_build_made_is_placed_and_does_not_count_against_the_programs_disk(rig, fake):
    fake.answers = [ExecutionResult(exit_code=0, artifacts={"program": Artifact(data=b"x" * 1000, executable=True)})]

    run(rig, Snippet(code=HELLO, language="c", limits=Limits(disk_bytes=MIB)))

    command, limits = fake.jobs[1].command, fake.jobs[1].limits
    assert (command.argv, command.files["build/program"], command.executables, limits.disk_bytes) == (
        ("/sandbox/build/program",), b"x" * 1000, frozenset({"build/program"}), MIB + 1000)


def test_our_failure_in_a_build_is_never_the_programs(rig, fake):
    def fall(job):
        raise SandboxFailure("it fell over")

    fake.run = fall

    with pytest.raises(SandboxFailure, match="it fell over"):
        run(rig, Snippet(code=HELLO, language="c"))


def test_stages_hand_their_files_on(tunnel):
    result = tunnel.run("3 4\n", "sh", stages=[
        "tr ' ' '+' < {source} > {build}/sum; mkdir {build}/deep; echo x > {build}/deep/x",
        "echo $(($(cat {previous}/sum))) > {build}/answer",
        "cat {previous}/answer {previous}/sum {previous}/deep/x; cat",
    ], stdin="and input\n")

    assert (result.stdout, result.stderr) == ("7\n3+4\nx\nand input\n", "")
    assert told(result) == [(f"stage {number}", 0, Reason.EXITED, False) for number in (1, 2, 3)]


def test_what_a_stage_made_executable_stays_so(tunnel):
    result = tunnel.run("x", "sh", stages=["printf '#!/bin/sh\\necho ran\\n' > {build}/tool; chmod +x {build}/tool", "{previous}/tool"])

    assert (result.stdout, result.stderr) == ("ran\n", "")


def test_stages_end_with_the_first_that_fails(tunnel):
    result = tunnel.run("x", "sh", stages=["true", "echo no >&2; exit 3", "echo never"])

    assert (result.exit_code, result.stdout, result.stderr) == (3, "", "no\n")
    assert told(result) == [("stage 1", 0, Reason.EXITED, False), ("stage 2", 3, Reason.EXITED, False)]


def test_a_stage_that_runs_out_of_time_says_so(tunnel):
    result = tunnel.run("x", "sh", stages=["sleep 60"], limits=Limits(wall_seconds=0.5))

    assert told(result) == [("stage 1", 124, Reason.TIMEOUT, False)]


def test_a_stage_gets_the_walls_of_any_run(tunnel, tmp_path):
    (tmp_path / "canary").write_text("x")

    result = tunnel.run("x", "sh", stages=[f"cat {tmp_path}/canary || echo gone; echo y > /sandbox/new || echo fixed"])

    assert (result.stdout, result.success) == ("gone\nfixed\n", True)


def test_only_the_last_stage_gets_the_network(rig, fake):
    run(rig, Snippet(code="x", language="sh", stages=["a", "b"], network_enabled=True))

    assert [job.network.host for job in fake.jobs] == [False, True]
