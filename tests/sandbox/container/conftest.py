"""Real engines, each spoken to in two ways, and sandboxes over them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import containers
import engines
import pytest

from windtunnel.sandbox.container.command_engine import CommandEngine
from windtunnel.sandbox.container.socket_engine import SocketEngine


@pytest.fixture(scope="session")
def docker():
    """A daemon of our own."""
    with engines.docker_daemon() as daemon:
        yield daemon


@pytest.fixture(scope="session")
def podman():
    """Variables by which podman works on a folder of its own."""
    engines.need("podman", "runc")
    with engines.podman_env() as env:
        yield env


@pytest.fixture(scope="session")
def podman_url(podman):
    with engines.podman_service(podman) as url:
        yield url


@pytest.fixture(scope="session")
def engine_by(request):
    """One of the four ways, made when it is first asked for."""
    made = {}

    def by(way):
        if way not in made:
            made[way] = _engine(way, request)
        return made[way]

    return by


def _engine(way, request):
    if way.startswith("docker"):
        return containers.docker_engine(request.getfixturevalue("docker").url, socket=way.endswith("socket"))
    if way == containers.PODMAN_SOCKET:
        return SocketEngine(request.getfixturevalue("podman_url"), name="podman")
    env = request.getfixturevalue("podman")
    return CommandEngine("podman", program=containers.podman_program(env, program=shutil.which("podman")))


@pytest.fixture(params=containers.WAYS, scope="session")
def engine(request, engine_by):
    return engine_by(request.param)


@pytest.fixture(scope="session")
def docker_engine(engine_by):
    """Docker by its socket, on which the broad checks run."""
    return engine_by(containers.DOCKER_SOCKET)


@pytest.fixture
def make_container():
    """Makes sandboxes that are closed after the test."""
    made = []

    def make(engine, *, kind=containers.make_container, **options):
        made.append(kind(engine, **options))
        return made[-1]

    yield make
    for container in made:
        container.close()


@pytest.fixture(scope="session")
def shared(docker_engine):
    """One sandbox over Docker for all that only looks at its results."""
    container = containers.make_container(docker_engine)
    yield container
    container.close()


@pytest.fixture(scope="session")
def each(engine):
    """One sandbox for each way."""
    container = containers.make_container(engine)
    yield container
    container.close()


@pytest.fixture
def gvisor(docker_engine):
    """Docker where it knows runsc."""
    if "runsc" not in docker_engine.facts().runtimes:
        pytest.skip("runsc is not installed here")
    return docker_engine


@pytest.fixture
def start_supervisor(docker, docker_engine, tmp_path):
    """Starts a script as a supervisor of its own, with an engine and this folder's helpers at hand."""
    containers.host_image(docker_engine)
    started = []

    def start(code, **env):
        here = Path(__file__).parent
        path = tmp_path / "supervisor.py"
        path.write_text(_PRELUDE.format(folders=[str(here.parent), str(here)], url=docker.url) + code)
        process = subprocess.Popen([sys.executable, str(path)], stdout=subprocess.PIPE, text=True, env=os.environ | env)
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


_PRELUDE = """
import sys
sys.path[:0] = {folders}
from conftest import python_job, Limits
from containers import docker_engine, left_of, make_container
engine = docker_engine({url!r})
"""
