"""What an engine tells of itself by its socket, read as it is; and a socket where nobody answers."""

from __future__ import annotations

import gc
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.container import socket_engine
from windtunnel.sandbox.container.engine import Facts, Image, State, words
from windtunnel.sandbox.container.socket_engine import (
    SocketEngine,
    facts_of,
    has_init,
    image_of,
    profile_file,
    state_of,
)

DOCKER = {
    "Driver": "overlay2", "MemoryLimit": True, "SwapLimit": True, "KernelMemory": True, "CpuCfsPeriod": True, "CpuCfsQuota": True,
    "CPUShares": True, "CPUSet": True, "PidsLimit": True, "CgroupDriver": "cgroupfs", "CgroupVersion": "1", "OSType": "linux",
    "KernelVersion": "6.1.0", "OperatingSystem": "Debian GNU/Linux 12 (bookworm)", "DockerRootDir": "/var/lib/docker",
    "ServerVersion": "20.10.24+dfsg1", "DefaultRuntime": "runc", "InitBinary": "docker-init", "Warnings": None,
    "Runtimes": {"io.containerd.runc.v2": {"path": "runc"}, "io.containerd.runtime.v1.linux": {"path": "runc"}, "runc": {"path": "runc"}},
    "SecurityOptions": ["name=seccomp,profile=default"],
}
"""Of a Docker of Debian 12."""
PODMAN = {
    "Driver": "overlay", "MemoryLimit": True, "SwapLimit": True, "KernelMemory": False, "PidsLimit": True, "CgroupDriver": "cgroupfs",
    "DockerRootDir": "/var/lib/containers/storage", "ServerVersion": "4.3.1", "DefaultRuntime": "runc", "InitBinary": "",
    "Runtimes": {"crun": {"path": "/usr/bin/crun"}, "runc": {"path": "/usr/bin/runc"}, "runsc": {"path": "/usr/bin/runsc"}},
    "SecurityOptions": ["name=seccomp,profile=default"], "CgroupVersion": "1", "Rootless": False,
}
"""Of a Podman of Debian 12, in the form of Docker's."""
FACTS = Facts(
    name="docker", version="20.10.24+dfsg1", by="socket", rootless=False, groups=1, runtime="runc",
    runtimes=("io.containerd.runc.v2", "io.containerd.runtime.v1.linux", "runc"), init=True, remapped=None, seccomp=True)


@pytest.fixture(autouse=True)
def _init_is_there(monkeypatch):
    monkeypatch.setattr(socket_engine, "has_init", lambda *_: True)


def facts(told=DOCKER, **changed):
    return facts_of("docker", told | changed, version="20.10.24+dfsg1", by="socket")


def changed(**fields):
    return replace(FACTS, **fields)


def test_a_real_docker_is_read_whole():
    assert facts() == FACTS


def test_a_real_podman_is_read_whole():
    assert facts_of("podman", PODMAN, version="4.3.1", by="socket") == Facts(
        name="podman", version="4.3.1", by="socket", rootless=False, groups=1, runtimes=("crun", "runc", "runsc"), runtime="runc",
        init=True, remapped=None, seccomp=True)


@pytest.mark.parametrize(("told", "expected"), [
    ({"CgroupVersion": "2"}, {"groups": 2}),
    ({"CgroupVersion": None}, {"groups": 1}),
    ({"CgroupVersion": "nonsense"}, {"groups": 1}),
    ({"MemoryLimit": False}, {"groups": 0}),
    ({"PidsLimit": False}, {"groups": 0}),
    ({"CgroupDriver": "none"}, {"groups": 0}),
    ({"SecurityOptions": None}, {"seccomp": False}),
    ({"SecurityOptions": ["name=seccomp,profile=default", "name=rootless"]}, {"rootless": True, "groups": 0}),
    ({"SecurityOptions": ["name=seccomp,profile=default", "name=rootless"], "CgroupVersion": "2"}, {"rootless": True, "groups": 2}),
    ({"SecurityOptions": ["name=seccomp,profile=default", "name=userns"], "DockerRootDir": "/var/lib/docker/100000.200000"},
     {"remapped": (100_000, 200_000)}),
    ({"DockerRootDir": "/var/lib/docker/100000.200000"}, {}),
    ({"SecurityOptions": ["name=seccomp", "name=userns"], "DockerRootDir": "/var/lib/docker"}, {}),
    ({"Runtimes": None, "DefaultRuntime": None}, {"runtimes": (), "runtime": ""}),
    ({"Runtimes": {"runsc": {}, "crun": {}}}, {"runtimes": ("crun", "runsc")}),
])
def test_each_thing_that_an_engine_can_say_changes_one_fact(told, expected):
    assert facts(**told) == changed(**expected)


def test_an_engine_that_says_nothing_holds_nothing():
    assert facts_of("docker", {}, version="", by="socket") == Facts(
        name="docker", version="", by="socket", rootless=False, groups=0, runtimes=(), runtime="", init=True, seccomp=False)


# --- process 1 ---

@pytest.mark.parametrize(("name", "told", "there", "expected"), [
    ("docker", {}, "/usr/bin/docker-init", True), ("docker", {}, "/usr/libexec/docker/docker-init", True),
    ("docker", {}, "/opt/docker-init", False), ("docker", {"InitBinary": "tini-static"}, "/usr/bin/tini-static", True),
    ("docker", {"InitBinary": "/opt/tini"}, "/opt/tini", True), ("docker", {"InitBinary": ""}, "/usr/bin/docker-init", True),
    ("podman", {}, "/usr/bin/catatonit", True), ("podman", {}, "/usr/libexec/podman/catatonit", True), ("podman", {}, "/usr/bin/docker-init", False),
])
def test_process_1_is_looked_for_where_the_engine_looks(monkeypatch, name, told, there, expected):
    monkeypatch.setattr("os.access", lambda path, _: str(path) == there)

    assert has_init(name, told) is expected


# --- containers and images ---

CREATED = {"Status": "created", "Running": False, "Paused": False, "Restarting": False, "OOMKilled": False, "Dead": False, "Pid": 0,
           "ExitCode": 0, "Error": "", "StartedAt": "0001-01-01T00:00:00Z", "FinishedAt": "0001-01-01T00:00:00Z"}


@pytest.mark.parametrize(("told", "state"), [
    ({}, State(running=False, exit_code=0, out_of_memory=False, pid=0)),
    ({"Status": "running", "Running": True, "Pid": 42}, State(running=True, exit_code=0, out_of_memory=False, pid=42)),
    ({"Status": "paused", "Pid": 42}, State(running=True, exit_code=0, out_of_memory=False, pid=42)),
    ({"Status": "stopping", "Pid": 42}, State(running=True, exit_code=0, out_of_memory=False, pid=42)),
    ({"Status": "exited", "ExitCode": 137, "OOMKilled": True}, State(running=False, exit_code=137, out_of_memory=True, pid=0)),
    ({"Status": "created", "ExitCode": 127, "Error": 'exec: "x":\n\033[31m not found'},
     State(running=False, exit_code=127, out_of_memory=False, pid=0, error='exec: "x": [31m not found')),
    ({"ExitCode": None, "Pid": None, "Error": None, "OOMKilled": None}, State(running=False, exit_code=0, out_of_memory=False, pid=0)),
])
def test_a_state_is_read_as_it_is(told, state):
    assert state_of(CREATED | told) == state


@pytest.mark.parametrize(("told", "image"), [
    ({"Id": "sha256:54d8", "RepoTags": ["x/y:1"], "Size": 88, "Config": {"Labels": {"windtunnel": "image"}}},
     Image(id="sha256:54d8", names=("x/y:1",), size=88, labels={"windtunnel": "image"})),
    ({"Id": "sha256:54d8", "RepoTags": None, "Size": None, "Config": {"Labels": None}}, Image(id="sha256:54d8", names=(), size=0, labels={})),
    ({"Id": "sha256:54d8", "Config": {"Volumes": {"/var/lib": {}, "/data": {}}}},
     Image(id="sha256:54d8", names=(), size=0, labels={}, volumes=("/data", "/var/lib"))),
    ({"Id": "sha256:54d8", "Config": None}, Image(id="sha256:54d8", names=(), size=0, labels={})),
])
def test_an_image_is_read_as_it_is(told, image):
    assert image_of(told) == image


# --- words and files ---

@given(st.text(max_size=200), st.integers(0, 50))
def test_whatever_an_engine_says_is_one_line_that_is_safe_to_show(text, most):
    said = words(text, most=most)

    assert (said.isprintable(), len(said) <= most) == (True, True)


def test_words_stay_and_what_moves_the_cursor_goes():
    assert words("a\n\tb\x1b[2J\u202e c  d\0") == "a b [2J c d"


def test_the_file_of_the_filter_is_there_while_it_is_needed_and_nobody_elses():
    with profile_file('{"a": 1}') as file:
        seen = Path(file.name).read_text(), Path(file.name).stat().st_mode & 0o777

    assert (seen, os.path.exists(file.name)) == (('{"a": 1}', 0o600), False)  # noqa: PTH110 -- a name


# --- nobody there ---

@pytest.fixture
def nobody(tmp_path):
    pytest.importorskip("docker", reason="the docker package is not installed here")
    yield SocketEngine(f"unix://{tmp_path}/socket")
    gc.collect()


unclosed = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
"""The docker package forgets the socket of a connection that was refused."""


@unclosed
@pytest.mark.parametrize(("act", "said"), [
    (lambda engine: engine.facts(), "docker cannot be asked what it is: no answer at unix://"),
    (lambda engine: engine.state("x"), "docker does not tell of the container: no answer at"),
    (lambda engine: engine.kill("x"), "docker does not end the container: no answer at"),
    (lambda engine: engine.remove("x"), "docker does not remove the container: no answer at"),
    (lambda engine: engine.containers(label="a"), "docker does not list containers: no answer at"),
    (lambda engine: engine.image("x"), "docker does not tell of the image: no answer at"),
    (lambda engine: engine.images(label="a"), "docker does not list images: no answer at"),
    (lambda engine: engine.pull("x", tell=print), "docker cannot pull x: no answer at"),
    (lambda engine: engine.remove_image("x"), "docker does not remove the image: no answer at"),
])
def test_where_nobody_answers_every_question_is_refused_and_says_where(nobody, act, said):
    with pytest.raises(IsolationUnavailable, match=said):
        act(nobody)


def test_a_guardian_needs_the_path_of_the_socket_and_the_label(nobody):
    assert nobody.reaper("windtunnel=1") == ["socket", nobody.url.removeprefix("unix://"), "windtunnel=1"]
