"""What the container level asks of Docker or Podman, however they are spoken to."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import IO, Protocol

LABEL = "windtunnel"
"""On every container of ours; its value names the supervisor, so that a dead one's can be told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """A host path shown inside."""

    source: str
    target: str
    read_only: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One container, as data; every field says what is allowed, so an empty one allows nothing."""

    image: str
    argv: tuple[str, ...]
    labels: Mapping[str, str]
    user: str
    """``uid:gid`` inside."""
    memory_bytes: int
    swap_bytes: int
    processes: int
    cores: float
    cpu_weight: int
    seccomp: str
    """The profile, as JSON text."""
    mounts: tuple[Mount, ...] = ()
    ulimits: Mapping[str, int] = field(default_factory=dict)
    network: str = "none"
    user_namespace: str = ""
    """As the engine spells it: ``keep-id:uid=1000,gid=1000``."""
    runtime: str = ""
    gpus: str = ""
    """``all`` or a device list, handed on to the engine."""
    fleeting: bool = False
    """Whether the engine removes it by itself when it ends."""
    limited: bool = True
    """Whether the engine can hold memory, processes and cores; without control groups it refuses to try."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What one engine is, as it says itself."""

    name: str
    version: str
    by: str
    """``socket`` or ``command line``."""
    rootless: bool
    groups: int
    """The version of control groups it holds limits by; zero for none."""
    runtimes: tuple[str, ...]
    runtime: str
    """The one it takes unless told otherwise."""
    init: bool = True
    """Whether it has a program to be process 1."""
    remapped: tuple[int, int] | None = None
    """First host uid and gid of its user namespace, where all its containers have one."""
    seccomp: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A container as the engine sees it."""

    running: bool
    exit_code: int
    out_of_memory: bool
    pid: int
    """Of its first process, on the host; zero when it is not running."""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """An image that the engine has."""

    id: str
    names: tuple[str, ...]
    size: int
    labels: Mapping[str, str]
    volumes: tuple[str, ...] = ()
    """Places that it wants to be writable, without a limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Begun:
    """A container that runs."""

    id: str
    pid: int
    """Of its first process, on the host."""
    streams: Streams


class Streams(Protocol):
    """The three streams of a started container, as descriptors of ours."""

    stdin: int
    stdout: int
    stderr: int

    def close(self) -> None:
        """Let go of the engine's side; the descriptors are whoever took them to close."""
        ...


class Engine(Protocol):
    """Docker or Podman. Every method raises ``IsolationUnavailable`` when the engine cannot be reached or refuses."""

    name: str

    def facts(self) -> Facts:
        """What it is; asked once."""
        ...

    def begin(self, spec: Spec) -> Begun:
        """Make a container, attach to all its streams, start it; what fails on the way leaves none."""
        ...

    def state(self, container: str) -> State:
        """How it is."""
        ...

    def wait(self, container: str, *, seconds: float) -> State:
        """How it ended; raises when it has not by then."""
        ...

    def kill(self, container: str) -> None:
        """End all its processes; no error when it has ended or is gone."""
        ...

    def remove(self, container: str) -> None:
        """Kill and forget it; no error when it is gone."""
        ...

    def containers(self, *, label: str) -> Mapping[str, str]:
        """Ids of all that carry the label, running or not, with its value."""
        ...

    def image(self, name: str) -> Image | None:
        """One image; None when it is not here."""
        ...

    def images(self, *, label: str) -> Sequence[Image]:
        """All that carry the label."""
        ...

    def pull(self, name: str, *, tell: Callable[[str], None]) -> None:
        """Fetch an image from its registry."""
        ...

    def import_tar(self, stream: IO[bytes], *, name: str, labels: Mapping[str, str]) -> str:
        """Make an image of a root file system; its id."""
        ...

    def remove_image(self, name: str) -> None:
        """Forget one; no error when it is gone."""
        ...

    def reaper(self, label: str) -> Sequence[str]:
        """What a guardian must know to remove all containers of one label without us, as words."""
        ...


def words(text: str, *, most: int = 600) -> str:
    """What an engine says, in one line that is safe to show."""
    kept = "".join(character if character.isprintable() else " " for character in text)
    return " ".join(kept.split())[:most]


def close_all(descriptors: Sequence[int]) -> None:
    """Close those that are open."""
    for descriptor in descriptors:
        if descriptor >= 0:
            os.close(descriptor)
