"""The command line's answers read as they are, its command lines whole, and its refusals in its own words."""

from __future__ import annotations

import io
import json
import os
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from containers import wait_until

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.container import command_engine
from windtunnel.sandbox.container.command_engine import CommandEngine, _podman_facts
from windtunnel.sandbox.container.engine import Facts, Image, Spec, State

ONE, TWO = "a" * 64, "b" * 64
PODMAN = {
    "host": {
        "arch": "amd64", "buildahVersion": "1.28.2", "cgroupManager": "cgroupfs", "cgroupVersion": "v1",
        "cgroupControllers": ["cpuset", "cpu", "cpuacct", "blkio", "memory", "devices", "freezer", "pids"],
        "conmon": {"path": "/usr/bin/conmon", "version": "conmon version 2.1.6, commit: unknown"}, "cpus": 2,
        "idMappings": {"gidmap": None, "uidmap": None}, "kernel": "6.1.0", "networkBackend": "cni",
        "ociRuntime": {"name": "runc", "path": "/usr/bin/runc", "version": "runc version 1.1.5+ds1\\nspec: 1.0.2-dev"},
        "remoteSocket": {"path": "/run/podman/podman.sock"}, "serviceIsRemote": False,
        "security": {"apparmorEnabled": False, "capabilities": "CAP_CHOWN", "rootless": False, "seccompEnabled": True, "selinuxEnabled": False},
    },
    "store": {"graphDriverName": "overlay"}, "registries": {}, "version": {"APIVersion": "4.3.1", "Version": "4.3.1", "OsArch": "linux/amd64"},
}
"""Of a Podman of Debian 12."""
FACTS = Facts(name="podman", version="4.3.1", by="command line", rootless=False, groups=1, runtimes=("runc",), runtime="runc", init=True, seccomp=True)
SPEC = Spec(image="i:1", argv=("/bin/sh",), labels={"windtunnel": "1"}, user="1:1", memory_bytes=1 << 27, swap_bytes=0, processes=9, cores=1.0,
            cpu_weight=1024, seccomp='{"a": 1}')


@pytest.fixture
def engine(tmp_path):
    """An engine whose client is this script; it writes its words, one a line, into ``asked``."""
    def make(script, *, name="docker", options=()):
        path = tmp_path / name
        path.write_text(f'#!/bin/sh\nfor word in "$@"; do printf "%s\\n" "$word" >>{tmp_path}/asked; done\n{script}\n')
        path.chmod(0o755)
        return CommandEngine(name, program=str(path), options=options)

    make.asked = lambda: (tmp_path / "asked").read_text().splitlines()
    return make


# --- what podman is ---

@pytest.fixture
def _init_is_there(monkeypatch):
    monkeypatch.setattr(command_engine, "has_init", lambda *_: True)


def podman(**host):
    return _podman_facts(PODMAN | {"host": PODMAN["host"] | host})


@pytest.mark.usefixtures("_init_is_there")
@pytest.mark.parametrize(("host", "expected"), [
    ({}, {}),
    ({"cgroupVersion": "v2"}, {"groups": 2}),
    ({"ociRuntime": {"name": "crun"}}, {"runtimes": ("crun",), "runtime": "crun"}),
    ({"security": {"rootless": True, "seccompEnabled": True}}, {"rootless": True, "groups": 0}),
    ({"security": {"rootless": True, "seccompEnabled": True}, "cgroupVersion": "v2"}, {"rootless": True, "groups": 2}),
    ({"security": {"rootless": True, "seccompEnabled": True}, "cgroupVersion": "v2", "cgroupControllers": ["cpu"]}, {"rootless": True, "groups": 0}),
    ({"security": {"rootless": True, "seccompEnabled": True}, "cgroupVersion": "v2", "cgroupControllers": None}, {"rootless": True, "groups": 0}),
    ({"security": {"rootless": False, "seccompEnabled": False}}, {"seccomp": False}),
])
def test_each_thing_that_podman_can_say_changes_its_fact(host, expected):
    assert podman(**host) == replace(FACTS, **expected)


@pytest.mark.usefixtures("_init_is_there")
def test_a_podman_that_says_nothing_filters_nothing():
    assert _podman_facts({}) == replace(FACTS, version="", runtimes=("",), runtime="", seccomp=False)


@pytest.mark.usefixtures("_init_is_there")
def test_an_engine_is_asked_once_what_it_is_with_its_options_first(engine):
    made = engine(f"echo '{json.dumps(PODMAN)}'", name="podman", options=("--root", "/elsewhere"))

    facts, again = made.facts(), made.facts()

    words = engine.asked()
    assert (facts, again, words[:2], words[-3:]) == (FACTS, FACTS, ["--root", "/elsewhere"], ["info", "--format", "{{json .}}"])
    assert [Path(word).exists() for word in words if "windtunnel-look-" in word] == [False] * 4, "it is shown a folder that is gone"


def test_the_process_that_podman_leaves_to_keep_its_namespace_is_ended(engine):
    leaving = "import os, sys, time; open('/proc/self/comm', 'w').write('catatonit'); time.sleep(60)"
    made = engine(f"""while [ "$1" != --tmpdir ]; do shift; done; mkdir "$2"
{sys.executable} -c "{leaving}" >/dev/null 2>&1 & echo $! > "$2/pause.pid"; echo $! > /tmp/wt-left-{os.getpid()}
while ! grep -q catatonit /proc/$!/comm; do :; done
echo '{json.dumps(PODMAN)}'""", name="podman")
    said = Path(f"/tmp/wt-left-{os.getpid()}")

    made.facts()

    pid = int(said.read_text())
    said.unlink()
    assert wait_until(lambda: not Path(f"/proc/{pid}").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[:1])


# --- refusals ---

def test_a_client_that_is_not_there_says_what_to_install(tmp_path):
    for name, package in (("docker", "docker.io"), ("podman", "podman")):
        with pytest.raises(IsolationUnavailable, match=rf"^{name} is not installed \(apt-get install {package}\)$"):
            CommandEngine(name, program=f"{tmp_path}/missing").facts()


@pytest.mark.parametrize(("act", "said"), [
    (lambda engine: engine.facts(), "docker cannot be asked what it is: no daemon [31m"),
    (lambda engine: engine.state("x"), "docker does not tell of the container: no daemon [31m"),
    (lambda engine: engine.containers(label="a"), "docker does not list containers: no daemon [31m"),
    (lambda engine: engine.image("x"), "docker does not tell of the image: no daemon [31m"),
    (lambda engine: engine.images(label="a"), "docker does not list images: no daemon [31m"),
    (lambda engine: engine.pull("x", tell=lambda _: None), "docker cannot pull x: no daemon [31m"),
    (lambda engine: engine.remove("x"), "docker does not list containers: no daemon [31m"),
    (lambda engine: engine.kill("x"), "docker does not list containers: no daemon [31m"),
    (lambda engine: engine.import_tar(io.BytesIO(b""), name="x", labels={}), "docker cannot import the image: no daemon [31m"),
    (lambda engine: engine.begin(SPEC), "the container was not started: no daemon [31m"),
])
def test_a_refusal_is_told_in_the_clients_own_words(engine, act, said):
    made = engine("printf 'no daemon\\033[31m\\n' >&2; exit 1")

    with pytest.raises(IsolationUnavailable) as refused:
        act(made)

    assert str(refused.value) == said


@pytest.mark.parametrize("answer", ["", "not json", "[]", "7"])
def test_an_answer_in_another_form_is_a_refusal(engine, answer):
    made = engine(f"printf '%s' '{answer}'")

    for act in (made.facts, lambda: made.state("x"), lambda: made.image("x")):
        with pytest.raises(IsolationUnavailable, match="docker gives an answer that is not JSON"):
            act()


# --- containers ---

def test_a_state_is_asked_for_by_inspection(engine):
    made = engine("""echo '{"Status": "running", "Running": true, "Pid": 42, "ExitCode": 0}'""")

    assert (made.state(ONE), engine.asked()) == (
        State(running=True, exit_code=0, out_of_memory=False, pid=42), ["container", "inspect", "--format", "{{json .State}}", ONE])


def test_containers_of_a_label_are_listed_with_its_value(engine):
    made = engine(f"printf '{ONE} 1-2-3-4\\n\\n{TWO} \\n'")

    assert (made.containers(label="windtunnel"), engine.asked()) == (
        {ONE: "1-2-3-4", TWO: ""},
        ["ps", "--all", "--no-trunc", "--filter", "label=windtunnel", "--format", '{{.ID}} {{.Label "windtunnel"}}'])


@pytest.mark.parametrize("act", ["kill", "remove"])
def test_a_container_that_is_gone_already_is_no_error(engine, act):
    made = engine(f"test $1 = ps && {{ echo '{TWO} '; exit 0; }}; echo 'no such container' >&2; exit 1")

    assert getattr(made, act)(ONE) is None


def test_a_container_that_is_still_there_and_is_not_removed_is_an_error(engine):
    made = engine(f"test $1 = ps && {{ echo '{ONE} '; exit 0; }}; echo 'device busy' >&2; exit 1")

    with pytest.raises(IsolationUnavailable, match="docker does not remove the container: device busy"):
        made.remove(ONE)


BEGIN = f"""
while test "$1" != --cidfile; do test "$1" = container && echo '{{"Running": true, "Pid": 77}}' && exit 0; shift; done
printf {ONE} >"$2"
test "$3" = --pidfile && printf 77 >"$4"
echo out; echo err >&2; read -r line; echo "got $line"; exit 5
"""


@pytest.mark.parametrize("name", ["docker", "podman"])
def test_a_container_begins_and_its_client_carries_the_streams_and_tells_the_exit_code(engine, name):
    made = engine(BEGIN, name=name)

    begun = made.begin(SPEC)

    os.write(begun.streams.stdin, b"word\n")
    ended = made.wait(ONE, seconds=20)
    said = os.read(begun.streams.stdout, 99), os.read(begun.streams.stderr, 99)
    for stream in (begun.streams.stdin, begun.streams.stdout, begun.streams.stderr):
        os.close(stream)
    begun.streams.close()
    assert (begun.id, begun.pid, said) == (ONE, 77, (b"out\ngot word\n", b"err\n"))
    assert ended == State(running=False, exit_code=5, out_of_memory=False, pid=0)


def test_a_client_that_does_not_end_in_time_is_told_and_can_be_ended(engine):
    made = engine(BEGIN)
    begun = made.begin(SPEC)

    with pytest.raises(IsolationUnavailable, match=r"docker did not end the container within 0\.1 seconds"):
        made.wait(ONE, seconds=0.1)

    begun.streams.close()
    assert made.wait(ONE, seconds=5).exit_code == -9
    for stream in (begun.streams.stdin, begun.streams.stdout, begun.streams.stderr):
        os.close(stream)


def test_podman_takes_its_runtime_before_the_command(engine):
    made = engine("exit 1", name="podman")

    with pytest.raises(IsolationUnavailable):
        made.begin(replace(SPEC, runtime="crun"))

    assert engine.asked()[:4] == ["--runtime", "crun", "run", "--cidfile"]


def test_what_a_beginning_needs_is_gone_when_it_failed(engine, tmp_path, monkeypatch):
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    made = engine("exit 1")

    with pytest.raises(IsolationUnavailable):
        made.begin(SPEC)

    assert list(place.iterdir()) == []


# --- images ---

@pytest.mark.parametrize("said", ["Error: No such image: x", "Error: inspecting object: x: image not known", "Error: unable to find x"])
def test_an_image_that_is_not_here_is_none(engine, said):
    assert engine(f"echo '[]'; echo '{said}' >&2; exit 1").image("x") is None


def test_an_image_is_read_from_its_inspection(engine):
    made = engine("""echo '[{"Id": "sha256:1", "RepoTags": ["x:1"], "Size": 5, "Config": {"Labels": {"a": "b"}}}]'""")

    assert made.image("x:1") == Image(id="sha256:1", names=("x:1",), size=5, labels={"a": "b"})


@pytest.mark.parametrize("stream", ["file", "memory"])
def test_an_archive_reaches_the_client_whole_with_its_labels(engine, tmp_path, stream):
    made = engine(f"""test "$1" = import && cat >{tmp_path}/got; echo '[{{"Id": "sha256:1"}}]'""")
    (tmp_path / "archive").write_bytes(bytes(100_000))

    with (tmp_path / "archive").open("rb") as file:
        made.import_tar(file if stream == "file" else io.BytesIO(bytes(100_000)), name="x:1", labels={"b": "2", "a": "1"})

    assert engine.asked()[:7] == ["import", "--change", "LABEL a=1", "--change", "LABEL b=2", "-", "x:1"]
    assert (tmp_path / "got").read_bytes() == bytes(100_000)


def test_a_pull_tells_before_and_after_and_takes_the_name_for_nothing_else(engine):
    told = []

    engine("true").pull("--privileged", tell=told.append)

    assert (told, engine.asked()) == (["docker pull --privileged", "--privileged is here"], ["pull", "--quiet", "--", "--privileged"])


def test_a_guardian_needs_the_label_and_the_client_with_its_options(engine):
    made = engine("", options=("--host", "unix:///x"))

    assert made.reaper("windtunnel=1") == ["command", "windtunnel=1", made._argv[0], "--host", "unix:///x"]


def test_a_name_is_looked_up_on_the_search_path(tmp_path, monkeypatch):
    (tmp_path / "podman").touch(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))

    assert (CommandEngine("podman")._argv, Path(CommandEngine("docker")._argv[0])) == ([f"{tmp_path}/podman"], Path("docker"))
