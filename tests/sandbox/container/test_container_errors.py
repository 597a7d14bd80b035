"""What cannot be raised is refused by a typed error that says what to do; never is a weaker level taken instead."""

from __future__ import annotations

import contextlib
import gc
import os
import subprocess
from dataclasses import replace
from types import SimpleNamespace

import containers
import pytest

from windtunnel.config import Settings
from windtunnel.core.errors import IsolationUnavailable, SandboxFailure, UsageError
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.ports import Network
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.container.command_engine import CommandEngine
from windtunnel.sandbox.container.engine import Mount
from windtunnel.sandbox.container.find import find_engine
from windtunnel.sandbox.container.images import Chosen, Files, Images
from windtunnel.sandbox.container.socket_engine import SocketEngine
from windtunnel.tunnel import Tunnel

pytestmark = pytest.mark.xdist_group("containers")
NOBODY = "unix:///nowhere/socket"
PYTHON = LanguageTable().get("python")


@pytest.fixture
def settings(tmp_path):
    return Settings(state_dir=tmp_path / "state", cache_dir=tmp_path / "cache", pool_size=0)


@pytest.fixture
def no_engine(monkeypatch):
    """A machine without any."""
    monkeypatch.setenv("PATH", "/nowhere")
    for name in ("DOCKER_HOST", "CONTAINER_HOST"):
        monkeypatch.setenv(name, NOBODY)


@contextlib.contextmanager
def collected():
    """What is garbage afterwards is thrown away at once, not in a later test."""
    try:
        yield
    finally:
        gc.collect()


# --- engines ---

@pytest.mark.parametrize(("name", "remedy"), [("docker", "apt-get install docker.io"), ("podman", "apt-get install podman")])
def test_an_engine_that_is_not_installed_is_named_with_what_installs_it(no_engine, name, remedy):
    with pytest.raises(IsolationUnavailable, match=remedy):
        find_engine(name)


def test_without_any_engine_the_container_level_is_refused_and_nothing_weaker_runs(no_engine, settings):
    with Tunnel(settings, level="container") as tunnel, pytest.raises(IsolationUnavailable, match=r"no container engine is installed.*docker.*podman"):
        tunnel.run("print(1)")

    assert not (settings.state_dir / "history.db").exists() or tunnel.recent() == []


def test_the_least_isolation_of_containers_is_not_met_by_a_process(no_engine, settings):
    with Tunnel(settings, min_isolation="container") as tunnel, pytest.raises(IsolationUnavailable, match="container"):
        tunnel.run("print(1)")


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # the docker package leaves a socket that did not connect to the collector
@pytest.mark.parametrize("engine", [SocketEngine(NOBODY), CommandEngine("docker", options=("--host", NOBODY))], ids=["socket", "command line"])
def test_a_daemon_that_is_down_is_told_as_such(docker, engine):
    with collected(), pytest.raises(IsolationUnavailable, match=r"docker cannot be asked what it is: .*(no answer at|Cannot connect|[Ff]ailed to connect)"):
        engine.facts()


def test_a_named_engine_that_is_down_is_not_replaced_by_another(docker, podman, monkeypatch):
    monkeypatch.setenv("DOCKER_HOST", NOBODY)

    with pytest.raises(IsolationUnavailable, match=r"docker.*start it"):
        find_engine("docker")


def test_an_engine_that_nobody_knows_is_a_wrong_request():
    with pytest.raises(UsageError, match="engine: 'lxc' is not one of docker, podman"):
        find_engine("lxc")


LACKS = {"init": "docker has no program to be process 1.*apt-get install tini", "seccomp": "docker here cannot filter system calls"}


@pytest.mark.parametrize("part", LACKS)
def test_an_engine_that_lacks_a_part_is_refused_with_what_adds_it(docker_engine, make_container, job, monkeypatch, part):
    monkeypatch.setattr(docker_engine, "_facts", replace(docker_engine.facts(), **{part: False}))

    with pytest.raises(IsolationUnavailable, match=LACKS[part]):
        make_container(docker_engine).run(job("print(1)"))


def test_a_runtime_the_engine_does_not_know_is_refused_with_those_it_knows(engine, make_container, job):
    with pytest.raises(IsolationUnavailable, match=r"none-such|runtime"):
        make_container(engine, runtime="none-such").run(job("print(1)"))

    assert containers.left_of(os.getpid(), engine=engine) == []


def test_graphics_that_are_not_there_are_the_engines_refusal(docker_engine, make_container, job):
    with pytest.raises(IsolationUnavailable, match=r"docker does not .* the container: .*(gpu|device)"):
        make_container(docker_engine, gpus="all").run(job("print(1)"))


# --- images ---

def test_an_image_that_is_gone_is_the_engines_refusal(engine, make_container, job):
    gone = Chosen(name="gone", id="sha256:" + "0" * 64, files=Files.OWN)

    with pytest.raises(IsolationUnavailable, match=r"(?i)no such image|not known|unable to find|not found"):
        make_container(engine, image=gone).run(job("print(1)"))

    assert containers.left_of(os.getpid(), engine=engine) == []


def test_an_image_that_was_never_built_is_refused_with_the_command_that_builds_it(docker_engine):
    with pytest.raises(IsolationUnavailable, match="windtunnel image build"):
        Images(docker_engine, pull=False).get(LanguageTable().get("ruby"))


@pytest.mark.parametrize("engine", [containers.DOCKER_SOCKET, containers.DOCKER_COMMAND], indirect=True)  # podman tries for seconds
def test_a_pull_that_fails_is_told_in_the_engines_words_with_another_way(engine):
    images = Images(engine, own={"python": "localhost:1/none-such:latest"}, pull=True)

    with pytest.raises(IsolationUnavailable, match=r"cannot be pulled: .*refused.*windtunnel image build python"):
        images.get(PYTHON)


# --- runs ---

def test_an_allow_list_that_only_root_can_hold_is_refused_to_others_with_the_level_that_has_one(docker_engine, make_container, job, monkeypatch):
    container = make_container(docker_engine)
    monkeypatch.setattr("windtunnel.sandbox.container.way_out.os", SimpleNamespace(geteuid=lambda: 1000))

    with pytest.raises(IsolationUnavailable, match="or take the process level"):
        container.run(job("print(1)", network=Network(allow_hosts=("example.org",))))


def test_an_engine_that_does_not_see_our_files_is_refused_and_leaves_nothing(engine, make_container, job, monkeypatch, tmp_path):
    elsewhere = tmp_path / "elsewhere"  # some engines refuse what is not there, others make an empty folder of it
    monkeypatch.setattr("windtunnel.sandbox.container.cell.Cell.mounts",
                        lambda *_, **__: [Mount(source=str(elsewhere), target="/windtunnel")])

    with pytest.raises((IsolationUnavailable, SandboxFailure), match=r"elsewhere|the container ended before its program"):
        make_container(engine).run(job("print(1)"))

    assert containers.left_of(os.getpid(), engine=engine) == []


@pytest.fixture
def full(tmp_path):
    """A file system with no room."""
    folder = tmp_path / "full"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4k,nr_inodes=3", "none", str(folder)], check=True)
    with contextlib.suppress(OSError):
        for number in range(9):
            (folder / str(number)).write_text("x")
    yield str(folder)
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_of_ours_is_our_failure_and_leaves_nothing(docker_engine, make_container, job, full, monkeypatch):
    monkeypatch.setattr("windtunnel.sandbox.container.cell.SHARED_PLACE", full)

    with pytest.raises(SandboxFailure, match="No space left on device"):
        make_container(docker_engine).run(job("print(1)"))

    assert docker_engine.containers(label="windtunnel") == {}


def test_files_that_do_not_fit_are_our_failure_as_at_the_process_level(docker_engine, make_container, job):
    with pytest.raises(SandboxFailure, match="No space left on device"):
        make_container(docker_engine).run(job("print(1)", files={"big": bytes(9 * MIB)}, limits=Limits(disk_bytes=4 * MIB)))

    assert docker_engine.containers(label="windtunnel") == {}


def test_a_file_name_that_leads_elsewhere_is_refused_before_anything_runs(docker_engine, make_container, job):
    with pytest.raises(UsageError, match="files: not a relative path"):
        make_container(docker_engine).run(job("print(1)", files={"../out": b""}))

    assert docker_engine.containers(label="windtunnel") == {}


def test_a_command_that_is_not_in_the_image_is_the_programs_failure(docker_engine, make_container, job):
    made = job("print(1)")

    result = make_container(docker_engine).run(replace(made, command=replace(made.command, argv=("/none/such",))))

    assert (result.exit_code, "/none/such" in result.stderr) == (127, True)
