"""Which engine is taken: in which order, never another than the one named, and what is said when there is none."""

from __future__ import annotations

import os
import socket
import stat

import pytest

from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.sandbox.container.command_engine import CommandEngine
from windtunnel.sandbox.container.find import candidates, find_engine, sockets
from windtunnel.sandbox.container.socket_engine import SocketEngine

INFO = {
    "docker": '{"ServerVersion": "20.10", "MemoryLimit": true, "SecurityOptions": ["name=seccomp,profile=default"]}',
    "podman": '{"host": {"cgroupVersion": "v2", "security": {"seccompEnabled": true}}, "version": {"Version": "4.3.1"}}',
}
GONE = {"DOCKER_HOST": "unix:///no/such/socket", "CONTAINER_HOST": "unix:///no/such/socket"}


@pytest.fixture
def machine(tmp_path):
    """Has these programs and no others; each says what it is told to."""
    (tmp_path / "bin").mkdir()

    def make(**programs):
        for name, script in programs.items():
            path = tmp_path / "bin" / name
            path.write_text(f"#!/bin/sh\n{script}\n")
            path.chmod(0o755)
        return {"PATH": str(tmp_path / "bin"), **GONE}

    return make


def says(name):
    return f"printf '%s' '{INFO[name]}'"


def ways(found):
    return [(type(engine), engine.name, engine.url if isinstance(engine, SocketEngine) else engine._argv) for engine in found]


# --- where engines listen ---

@pytest.mark.parametrize(("name", "env", "paths"), [
    ("docker", {"DOCKER_HOST": "unix:///own/socket"}, ["/own/socket"]),
    ("podman", {"CONTAINER_HOST": "unix:///own/socket"}, ["/own/socket"]),
    ("docker", {"DOCKER_HOST": "tcp://elsewhere:2375"}, []),
    ("docker", {"DOCKER_HOST": "ssh://user@elsewhere"}, []),
    ("docker", {"XDG_RUNTIME_DIR": "/run/me"}, ["/var/run/docker.sock", "/run/me/docker.sock"]),
    ("docker", {"CONTAINER_HOST": "unix:///podmans", "XDG_RUNTIME_DIR": "/run/me"}, ["/var/run/docker.sock", "/run/me/docker.sock"]),
])
def test_an_engine_is_looked_for_where_its_variable_says_else_in_the_usual_places(name, env, paths):
    assert sockets(name, env) == paths


@pytest.mark.parametrize(("user", "paths"), [
    (0, ["/run/podman/podman.sock", "/run/user/0/podman/podman.sock"]), (1001, ["/run/user/1001/podman/podman.sock"])])
def test_an_ordinary_user_never_takes_the_podman_of_root(monkeypatch, user, paths):
    monkeypatch.setattr(os, "geteuid", lambda: user)

    assert sockets("podman", {}) == paths


# --- in which order ---

def test_a_socket_comes_before_the_command_line_and_docker_before_podman(machine, tmp_path):
    env = machine(docker="", podman="")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        env |= {"DOCKER_HOST": f"unix://{tmp_path}/socket"}
        found = candidates(("docker", "podman"), sdk=True, env=env)

    assert ways(found) == [
        (SocketEngine, "docker", f"unix://{tmp_path}/socket"), (CommandEngine, "docker", [f"{tmp_path}/bin/docker"]),
        (CommandEngine, "podman", [f"{tmp_path}/bin/podman"])]


@pytest.mark.parametrize("given", [{"sdk": False}, {"sdk": True}], ids=["not wanted", "not installed"])
def test_without_the_package_there_is_only_the_command_line(machine, tmp_path, monkeypatch, given):
    env = machine(docker="")
    if given["sdk"]:
        monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket"))
        found = candidates(("docker",), env=env | {"DOCKER_HOST": f"unix://{tmp_path}/socket"}, **given)

    assert ways(found) == [(CommandEngine, "docker", [f"{tmp_path}/bin/docker"])]


def test_a_plain_file_where_the_socket_should_be_is_no_engine(machine, tmp_path):
    (tmp_path / "socket").touch()

    assert candidates(("docker",), sdk=True, env=machine() | {"DOCKER_HOST": f"unix://{tmp_path}/socket"}) == []


def test_the_program_that_was_found_is_the_one_that_is_asked(machine, tmp_path, monkeypatch):
    """And not one of the same name on our own search path."""
    env = machine(docker=says("docker"))
    (tmp_path / "other").mkdir()
    (tmp_path / "other/docker").write_text("#!/bin/sh\nexit 9\n")
    (tmp_path / "other/docker").chmod(stat.S_IRWXU)
    monkeypatch.setenv("PATH", str(tmp_path / "other"))

    assert find_engine("docker", env=env).facts().version == "20.10"


# --- which is taken ---

def test_the_first_that_answers_is_taken(machine):
    env = machine(docker="echo 'no daemon' >&2; exit 1", podman=says("podman"))

    assert find_engine(env=env).facts().name == "podman"


def test_a_named_engine_that_does_not_answer_is_refused_although_another_would(machine):
    env = machine(docker="echo 'no daemon\033[2J' >&2; exit 1", podman=says("podman"))

    with pytest.raises(IsolationUnavailable) as refused:
        find_engine("docker", env=env)

    assert str(refused.value) == "no container engine can be used: docker cannot be asked what it is: no daemon [2J (start it)"


def test_a_client_that_calls_the_absence_of_its_daemon_a_success_is_not_believed(machine):
    env = machine(docker="""echo '{"ServerErrors": ["Cannot connect to the Docker daemon"], "ClientInfo": {}}'""")

    with pytest.raises(IsolationUnavailable, match=r"Cannot connect to the Docker daemon.*\(start it\)"):
        find_engine("docker", env=env)


@pytest.mark.parametrize("answer", ["not json", "[]", "null", "7", '"text"'])
def test_an_answer_in_another_form_is_a_refusal_and_not_a_crash(machine, answer):
    with pytest.raises(IsolationUnavailable, match="docker gives an answer that is not JSON"):
        find_engine("docker", env=machine(docker=f"echo '{answer}'"))


def test_every_refusal_is_told_once(machine):
    env = machine(docker="echo same >&2; exit 1", podman="echo other >&2; exit 1")

    with pytest.raises(IsolationUnavailable, match=r"docker cannot be asked what it is: same; podman cannot be asked what it is: other \(start it\)"):
        find_engine(env=env)


@pytest.mark.parametrize(("name", "said"), [
    ("docker", "no container engine is installed (apt-get install docker.io tini, and start it: systemctl start docker)"),
    ("podman", "no container engine is installed (apt-get install podman catatonit)"),
    (None, ("no container engine is installed (apt-get install docker.io tini, and start it: systemctl start docker or "
            "apt-get install podman catatonit)")),
])
def test_a_machine_without_the_engine_is_told_what_to_install(machine, name, said):
    with pytest.raises(IsolationUnavailable) as refused:
        find_engine(name, env=machine())

    assert str(refused.value) == said


@pytest.mark.parametrize("name", ["lxc", "", "Docker", "--host"])
def test_an_engine_that_nobody_knows_is_refused_by_name(name):
    with pytest.raises(UsageError, match="is not one of docker, podman") as refused:
        find_engine(name, env={})

    assert refused.value.field == "engine"
