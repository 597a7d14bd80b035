"""Containers for the tests: the ways to speak to an engine, the host image, and a look at what is left behind."""

from __future__ import annotations

import json
import os
import time
from dataclasses import replace
from pathlib import Path

from windtunnel.languages import LanguageTable
from windtunnel.sandbox.container.command_engine import CommandEngine
from windtunnel.sandbox.container.image_build import Plan, build
from windtunnel.sandbox.container.images import Chosen, Files
from windtunnel.sandbox.container.sandbox import Container
from windtunnel.sandbox.container.socket_engine import SocketEngine

DOCKER_SOCKET, DOCKER_COMMAND = "docker by socket", "docker by command line"
PODMAN_SOCKET, PODMAN_COMMAND = "podman by socket", "podman by command line"
WAYS = (DOCKER_SOCKET, DOCKER_COMMAND, PODMAN_SOCKET, PODMAN_COMMAND)
OTHERS = WAYS[1:]
_IMAGE = "windtunnel/test-host:local"


def docker_engine(url, *, socket=True):
    return SocketEngine(url) if socket else CommandEngine("docker", options=("--host", url))


def podman_program(env, *, program):
    """Podman with its own folder in every word of it, so that nothing of our own environment need be changed."""
    path = Path(env["WT_FOLDER"], "podman")
    given = " ".join(f"{name}={value}" for name, value in env.items())
    path.write_text(f'#!/bin/sh\nexec env {given} {program} "$@"\n')
    path.chmod(0o755)
    return str(path)


def host_image(engine):
    """The almost empty image, over which the host's own Python is bound."""
    table = LanguageTable()
    plan = Plan(name=_IMAGE, language="python", files=Files.HOST, toolchain=table.toolchain(table.get("python")))
    found = engine.image(_IMAGE) or build(engine, plan)
    return Chosen(name=_IMAGE, id=found.id, files=Files.HOST)


def make_container(engine, *, image=None, **options):
    chosen = image or host_image(engine)
    return Container(engine, image=lambda _: chosen, **options)


class Changed(Container):
    """A container level with parts of its specification replaced, to show what each is for."""

    def __init__(self, engine, *, change, **options):
        chosen = host_image(engine)
        super().__init__(engine, image=lambda _: chosen, **options)
        self._change = change

    def spec(self, kind, cell, owner):
        made = super().spec(kind, cell, owner)
        change = self._change(made) if callable(self._change) else self._change
        return replace(made, **change)


def left_of(pid, *, engine=None):
    """Containers, folders and mounts that one supervisor made and that are still there."""
    folders = sorted(path.name for path in Path("/tmp").glob(f"windtunnel-{pid}-*"))
    mounts = [line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()
              if f"/windtunnel-{pid}-" in line.split()[4]]
    owners = {} if engine is None else engine.containers(label="windtunnel")
    return [*folders, *mounts, *(name for name, owner in owners.items() if owner.split("-")[1:2] == [str(pid)])]


def children(pid="self"):
    """Processes that have this parent, with their words."""
    pid = os.getpid() if pid == "self" else pid
    found = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text().split():
            words = Path(f"/proc/{child}/cmdline")
            found[int(child)] = words.read_bytes().replace(b"\0", b" ").decode() if words.exists() else ""
    return found


def wait_until(check, *, seconds=20.0):
    """Whether it came true in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if check():
            return True
        time.sleep(0.02)
    return bool(check())


def inspected(engine, container):
    """All that Docker says of a container."""
    return json.loads(json.dumps(engine._api.inspect_container(container)))
