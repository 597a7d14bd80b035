"""The script that a waiting Node.js stops in."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from windtunnel.languages.javascript import LANGUAGE
from windtunnel.languages.search import which

REQUEST = {"env": {"COLOUR": "blue"}, "argv": ["--first", "second"]}
REPORT = "console.log(JSON.stringify([process.env, process.argv.slice(2), process.execArgv, Object.keys(require.cache)]));"

AT_DESCRIPTOR_3 = """\
import os, sys
pipe = int(sys.argv[1])
if pipe != 3:
    os.dup2(pipe, 3)
    os.close(pipe)
os.execve(sys.argv[2], sys.argv[2:], {"WAITING": "yes"})
"""


@pytest.fixture
def warm(tmp_path):
    """Starts Node.js at the gate with descriptor 3; returns the process, the other end, and where the source goes."""
    toolchain = LANGUAGE.find(which)
    if toolchain is None:
        pytest.skip(f"javascript is not installed here ({LANGUAGE.install})")
    gate, source = tmp_path / "gate", tmp_path / "main.js"
    gate.write_text(LANGUAGE.gate)
    started = []

    def start(*, blocking=True):
        inner, outer = os.pipe()
        os.set_blocking(inner, blocking)
        places = {"/run/windtunnel/gate": str(gate), "{source}": str(source)}
        node, *words = [places.get(word, word) for word in toolchain.warm]
        argv = [sys.executable, "-c", AT_DESCRIPTOR_3, str(inner), node, *words]
        process = subprocess.Popen(
            argv, pass_fds=(inner,), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        os.close(inner)
        started.append(process)
        return process, outer, source

    yield start
    for process in started:
        process.kill()
        process.communicate()


def open_gate(outer, request=REQUEST):
    with os.fdopen(outer, "wb") as pipe:
        pipe.write(json.dumps(request).encode())


def test_a_program_that_comes_later_gets_the_requested_environment_and_arguments(warm):
    process, outer, source = warm()
    source.write_text(REPORT)
    open_gate(outer)

    stdout, stderr = process.communicate(timeout=60)

    assert (process.returncode, stderr) == (0, "")
    assert json.loads(stdout) == [{"COLOUR": "blue"}, ["--first", "second"], [], [str(source)]]


def test_a_descriptor_that_does_not_block_is_waited_for(warm):
    process, outer, source = warm(blocking=False)
    source.write_text(REPORT)
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(timeout=0.3)
    open_gate(outer)

    stdout, stderr = process.communicate(timeout=60)

    assert (process.returncode, stderr) == (0, "")
    assert json.loads(stdout)[0] == {"COLOUR": "blue"}


def test_a_request_larger_than_a_pipe_arrives_whole(warm):
    process, outer, source = warm()
    source.write_text("console.log(process.env.BIG.length);")
    open_gate(outer, {"env": {"BIG": "ü" * 300_000}, "argv": []})

    stdout, stderr = process.communicate(timeout=60)

    assert (process.returncode, stdout, stderr) == (0, "300000\n", "")


def test_the_gate_is_closed_behind_the_program(warm):
    process, outer, source = warm()
    source.write_text('try { require("fs").fstatSync(3); console.log(require("fs").readlinkSync("/proc/self/fd/3")); }'
                      ' catch (error) { console.log("pipe:", error.code); }')
    open_gate(outer)

    stdout, stderr = process.communicate(timeout=60)

    assert (process.returncode, stderr) == (0, "")
    assert not stdout.startswith("pipe:[")


def test_a_worker_thread_does_not_read_the_programs_own_descriptors(warm):
    process, outer, source = warm()
    source.write_text(
        'const { Worker } = require("worker_threads");\n'
        'new Worker("require(\\"worker_threads\\").parentPort.postMessage(process.env.COLOUR)", { eval: true })\n'
        '  .on("message", (word) => console.log(word));\n'
    )
    open_gate(outer)

    stdout, stderr = process.communicate(timeout=60)

    assert (process.returncode, stdout, stderr) == (0, "blue\n", "")


def test_a_child_of_the_program_does_not_stop_at_the_gate(warm):
    process, outer, source = warm()
    source.write_text(
        'if (process.argv.includes("child")) console.log("child");\n'
        'else require("child_process").fork(__filename, ["child"]);\n'
    )
    open_gate(outer)

    stdout, stderr = process.communicate(timeout=60)

    assert (process.returncode, stdout, stderr) == (0, "child\n", "")
