"""The container level through every door: the library's classes, the command line, the doctor."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from containers import docker_engine as engine_at

from windtunnel import CodeSandbox, FileChange, ResourceLimits, SandboxExecutor
from windtunnel.core.limits import MIB
from windtunnel.core.result import Level
from windtunnel.engine.images import build_images, plans
from windtunnel.languages import LanguageTable

pytestmark = pytest.mark.xdist_group("containers")
CALC = "def add(a, b):\n    return a + b\n"
TESTS = "import unittest\nimport calc\n\n\nclass Sums(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(calc.add(2, 3), 5)\n"


@pytest.fixture(scope="session")
def python_image(docker, docker_engine):
    """The image that ``windtunnel image build python`` makes."""
    (built,) = build_images(docker_engine, plans(LanguageTable(), ["python"]))
    return built


@pytest.fixture
def reached(docker, python_image, tmp_path, monkeypatch):
    """Our private daemon is the one that the engine's own variable names, and all our folders are the test's."""
    monkeypatch.setenv("DOCKER_HOST", docker.url)
    monkeypatch.setenv("WINDTUNNEL_ENGINE", "docker")
    monkeypatch.setenv("WINDTUNNEL_PULL", "false")
    for name in ("state", "cache"):
        monkeypatch.setenv(f"WINDTUNNEL_{name.upper()}_DIR", str(tmp_path / name))
    return docker.url


@pytest.fixture
def project(tmp_path):
    top = tmp_path / "project"
    top.mkdir()
    (top / "calc.py").write_text(CALC)
    (top / "test_calc.py").write_text(TESTS)
    return top


@pytest.fixture
def command_line(cli, reached):
    cli.env |= {"DOCKER_HOST": reached, "WINDTUNNEL_ENGINE": "docker", "WINDTUNNEL_PULL": "false"}
    return cli


@pytest.mark.parametrize(("content", "good"), [(CALC.replace("a + b", "b + a"), True), (CALC.replace("+", "-"), False)], ids=["good", "bad"])
def test_the_executor_tries_a_change_in_containers_and_leaves_the_project_alone(reached, project, content, good):
    with SandboxExecutor(isolation_level="container") as executor:
        result = executor.execute_with_changes(project, [FileChange("calc.py", "modify", content)], test_command="python3 -m unittest -q")

    assert (result.success, (project / "calc.py").read_text()) == (good, CALC)
    assert engine_at(reached).containers(label="windtunnel") == {}


@pytest.mark.parametrize("socket", [True, False], ids=["socket", "command line"])
def test_the_code_sandbox_runs_in_a_container_and_tells_what_it_used(reached, socket):
    with CodeSandbox(level="container", use_docker_api=socket) as sandbox:
        seen = "import time; x = bytearray(50 << 20); time.sleep(2); print(6 * 7)"  # the engine forgets a group that ended
        result = sandbox.execute(seen, "python", ResourceLimits(memory_limit="256m"))
        usage = sandbox.get_resource_usage(result.container_id)
        recorded = sandbox.get_resource_usage(result.id)
        sandbox.cleanup_all_containers()
        left = engine_at(reached).containers(label="windtunnel")

    assert (result.stdout, result.level, result.enforced["engine"].rpartition(", ")[2]) == (
        "42\n", Level.CONTAINER, f"by its {'socket' if socket else 'command line'}")
    assert 50 * MIB < usage["memory_peak_bytes"] < 256 * MIB
    assert (recorded, left) == (usage, {})


def test_after_a_clean_up_the_next_run_works(reached):
    with CodeSandbox(level="container") as sandbox:
        sandbox.execute("print(1)", "python")
        sandbox.cleanup_all_containers()

        assert sandbox.execute("print(2)", "python").stdout == "2\n"


def test_the_command_line_runs_in_a_container(command_line, tmp_path):
    (tmp_path / "input").write_text("given")

    done = command_line("run", "--level", "container", "--json", "--input", str(tmp_path / "input"),
                        "-c", "import sys; print(sys.stdin.read()); sys.exit(3)")

    told = json.loads(done.stdout)
    assert (done.returncode, told["stdout"], told["level"], told["enforced"]["network"]) == (3, "given\n", "container", "none")


def test_the_least_isolation_of_containers_gets_one(command_line):
    done = command_line("run", "--min-isolation", "container", "--json", "-c", "print(1)")

    assert (done.returncode, json.loads(done.stdout)["level"]) == (0, "container")


def test_the_command_line_says_what_would_make_a_missing_image(command_line):
    done = command_line("run", "--level", "container", "-l", "sh", "-c", "true")

    assert (done.returncode, "windtunnel image build sh" in done.stderr) == (125, True)


def test_an_interrupted_run_leaves_no_container(command_line, reached, tmp_path):
    with (tmp_path / "stderr").open("w") as complaints:
        process = command_line.start("run", "--level", "container", "-c", "import time; print('here', flush=True); time.sleep(60)",
                                     stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=complaints, text=True)
    with process:
        assert process.stdout.readline() == "here\n", (tmp_path / "stderr").read_text()
        process.send_signal(2)
        process.wait(30)

    assert (process.returncode, engine_at(reached).containers(label="windtunnel")) == (130, {})


def test_the_doctor_names_both_engines_with_what_they_are(command_line, podman):
    command_line.env |= podman
    done = command_line("doctor", "--json")

    found = {row["name"]: row for row in json.loads(done.stdout) if row["level"] == "container"}
    assert found.keys() == {"docker", "podman"}
    assert (found["docker"]["ready"], "by its socket, root's, runc" in found["docker"]["found"]) == (True, True)
    assert (found["podman"]["ready"], "by its command line, root's, runc" in found["podman"]["found"]) == (True, True)


def test_the_doctor_says_how_to_get_an_engine_that_is_not_there(command_line):
    command_line.env |= {"PATH": "/nowhere", "DOCKER_HOST": "unix:///nowhere/socket", "CONTAINER_HOST": "unix:///nowhere/socket"}
    done = command_line("doctor", "--json")

    found = {row["name"]: (row["ready"], row["remedy"]) for row in json.loads(done.stdout) if row["level"] == "container"}
    assert found == {"docker": (False, "apt-get install docker.io tini, and start it: systemctl start docker"),
                     "podman": (False, "apt-get install podman catatonit")}


def test_the_package_is_loaded_without_the_docker_package():
    code = "import sys, windtunnel; print({'docker', 'requests'} & sys.modules.keys())"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "set()\n"
