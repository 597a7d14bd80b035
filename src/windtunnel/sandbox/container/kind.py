"""What a job asks of a container, and the container that answers it, as data."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.core.limits import Limits
from windtunnel.sandbox.container.cell import GATE, Cell
from windtunnel.sandbox.container.engine import Facts, Mount, Spec
from windtunnel.sandbox.container.images import Files
from windtunnel.sandbox.container.owner import Owner
from windtunnel.sandbox.root import minimal_root

_OURS = 2
"""Processes of a container that are not the program's: the engine's first one, and the starter."""
_PROCESSES_OF_USER = 4096
"""Of all containers at once, which share their user; the control group counts those of each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """What must be the same for a waiting container to serve a run."""

    image: str
    files: str
    paths: tuple[str, ...]
    network: str
    read_only: bool
    limits: Limits
    workspace: str | None
    volumes: tuple[str, ...] = ()
    """Places that a foreign image wants to be writable, which stay as they are."""
    hosts: bool = False
    """Whether it gets a list of hosts of its own."""

    @property
    def waits(self) -> bool:
        """Whether one may be made before its run comes."""
        return self.workspace is None and not self.hosts


def spec_of(kind: Kind, cell: Cell, owner: Owner, *, facts: Facts) -> Spec:
    """The container for a kind, over a cell, as this engine wants it; without a filter and labels, which are added."""
    limits, podman = kind.limits, facts.name == "podman"
    shown = (*host_mounts(kind), *cell.mounts(read_only=kind.read_only))
    covers = [cell.cover(place, shown) for place in kind.volumes]
    hosts = [Mount(source=f"{cell.path}/hosts", target="/etc/hosts")] if kind.hosts else []
    return Spec(
        image=kind.image, argv=(f"{GATE}/start",), labels={}, user=owner.user, seccomp="",
        memory_bytes=limits.memory_bytes, swap_bytes=limits.swap_bytes, processes=limits.processes + _OURS,
        cores=min(limits.cores, os.cpu_count() or 1), cpu_weight=max(2, limits.cpu_weight), network=kind.network,
        user_namespace=owner.user_namespace, limited=facts.groups > 0, ulimits=ulimits(limits, podman=podman),
        mounts=(*shown, *(_unwritable(cell, shown) if podman else ()), *covers, *hosts))


def host_mounts(kind: Kind) -> tuple[Mount, ...]:
    """The host's own toolchain, for an image that has none."""
    if kind.files != Files.HOST:
        return ()
    certificates = kind.network == "host" or kind.hosts
    root = minimal_root(kind.paths, host_network=kind.network == "host", certificates=certificates)
    return tuple(Mount(source=source, target=inside) for source, inside in root.binds)


def _unwritable(cell: Cell, shown: Sequence[Mount]) -> tuple[Mount, ...]:
    """Places that Podman makes writable, without a limit, when it is asked by its socket for a read-only root.

    It puts its own init below /run, so that must be a folder it can write to; the program cannot, where we are root.
    """
    return (cell.cover("/var/tmp", shown),  # noqa: S108 -- inside the container
            Mount(source=f"{cell.path}/disk/run", target="/run", read_only=False))


def covered(kind: Hashable) -> list[str]:
    """Places below /tmp that are mounts of ours, not works of the program."""
    assert isinstance(kind, Kind)
    places = [mount.target for mount in host_mounts(kind)] + ([kind.workspace] if kind.workspace else [])
    return [place for place in places if place.startswith(("/tmp/", "/dev/shm/"))]  # noqa: S108


def ulimits(limits: Limits, *, podman: bool) -> Mapping[str, int]:
    """Per-process limits; second to the control group."""
    made = {"nofile": limits.open_files, "fsize": limits.disk_bytes, "core": 0, "memlock": 1 << 20,
            "msgqueue": 819_200, "sigpending": 1024}
    if limits.cpu_seconds is not None:
        made["cpu"] = int(limits.cpu_seconds) + 2
    if podman:  # or it tries to raise this one, which not every root may
        made["nproc"] = max(_PROCESSES_OF_USER, limits.processes + _OURS)
    return made
