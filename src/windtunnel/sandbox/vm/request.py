"""A job as the guest's agent wants it, and the machine it fits into: pure functions, tested as data."""

from __future__ import annotations

import math
import os
from dataclasses import replace
from typing import Any

from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.core.language import BASE_ENV, Toolchain
from windtunnel.core.limits import GIB, MIB, Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Command, Level
from windtunnel.sandbox import seccomp
from windtunnel.sandbox.outside.elsewhere import refuse_outside
from windtunnel.sandbox.request import request_for
from windtunnel.sandbox.root import UID
from windtunnel.sandbox.stems import PRIVATE
from windtunnel.sandbox.vm.arguments import TRANSLATION_MIB, Hardware

_MEMORY_MIB = (512, 1024, 2048, 4096, 8192, 16_384, 32_768, 65_536)
"""Few sizes, because each has a snapshot of its own; the exact limit is the guest's control group's."""
_KERNEL_MIB = 192
"""For the guest's kernel, its agent and what it reads from disk."""
_MOST_PROCESSORS = 16
MOST_READ_BACK = 256 * MIB
_COVERED = ("/tmp/", "/dev/shm/")  # noqa: S108 -- inside the sandbox
_PERIOD = 100_000


def check(job: Job) -> None:
    """Refuse what this level does not have, before anything starts."""
    refuse_outside(job, level=Level.VM)
    if job.network.host or job.network.allow_hosts:
        raise IsolationUnavailable(
            "the vm level gives its guests no network device, so no host can be reached from it; "
            "leave the network out, or ask for --level container or --level process")
    if memory_mib(job.limits) is None:
        raise UsageError(f"memory_bytes: more than {_MEMORY_MIB[-1] // 1024 - 1} GiB are not given to a guest "
                         "(memory and disk together)", field="memory_bytes")


def memory_mib(limits: Limits) -> int | None:
    """The guest's memory: the program's, as much again for what is read back from its disk, and the kernel's."""
    wanted = (limits.memory_bytes + min(limits.disk_bytes, limits.memory_bytes, MOST_READ_BACK)) / MIB + _KERNEL_MIB
    return next((size for size in _MEMORY_MIB if size >= wanted), None)


def hardware_for(limits: Limits, *, accelerator: str, processors: int) -> Hardware:
    """The smallest machine that holds the limits; never more processors than the host has."""
    memory = memory_mib(limits)
    assert memory is not None
    return Hardware(memory_mib=memory, processors=max(1, min(math.ceil(limits.cores), processors, _MOST_PROCESSORS)),
                    accelerator=accelerator)


def toolchain_paths(job: Job) -> tuple[str, ...]:
    """The host paths that the root disk is made from."""
    toolchain, command = job.toolchain, job.command
    # A compiler may be told of its linker by an option: linker=/usr/bin/cc.
    words = (*toolchain.run, *(toolchain.build or ()), *(toolchain.profile or ()), *command.argv[:2])
    programs = [word.rpartition("=")[2] for word in words]
    own = (*PRIVATE, *([f"{command.workspace}/"] if command.workspace else []))
    wanted = [*toolchain.paths, *(path for path in programs if path.startswith("/") and os.path.isfile(path))]  # noqa: PTH113
    return tuple(dict.fromkeys(
        path for path in wanted if not path.startswith(own) or _is_of(toolchain.paths, path)))


def _is_of(paths: tuple[str, ...], path: str) -> bool:
    """Whether it is one of a toolchain's paths or lies below one: a toolchain may live below the host's /tmp."""
    return any(f"{path}/".startswith(f"{one}/") for one in paths)


def group_settings(limits: Limits) -> dict[str, str]:
    """The guest's control group, file by file; one more process than allowed, for the first one, which is ours."""
    return {"memory.max": str(limits.memory_bytes), "memory.oom.group": "1", "pids.max": str(limits.processes + 1),
            "cpu.max": f"{max(1000, int(limits.cores * _PERIOD))} {_PERIOD}"}


def host_limits(limits: Limits, hardware: Hardware) -> Limits:
    """What QEMU itself may use on the host: its guest's memory, what it translates, and a little for itself."""
    return Limits(
        memory_bytes=(hardware.memory_mib + TRANSLATION_MIB) * MIB + GIB // 2, processes=128,
        cpu_weight=limits.cpu_weight, cores=limits.cores + 0.5)


def rehearsal_for(job: Job) -> Job:
    """The empty program of the same toolchain; the same for all jobs of one toolchain, whatever they ask for."""
    words = job.toolchain.run
    alone = "{source}" in words and not any("{build}" in word for word in words)
    plain = alone and os.path.isfile(words[0])  # noqa: PTH113
    argv = tuple("/dev/null" if word == "{source}" else word for word in words) if plain else ("/bin/sh", "/dev/null")
    env = dict(BASE_ENV) | dict(job.toolchain.env)
    return Job(command=Command(argv=argv, env=env), limits=Limits(), language=replace(job.language, gate=""),
               toolchain=Toolchain(run=argv))


def message_for(job: Job) -> dict[str, Any]:
    """All that the agent must know of the run."""
    command, limits = job.command, job.limits
    workspace = command.workspace or ""
    kept = [path for path in toolchain_paths(job) if path.startswith(_COVERED)]
    return {
        "order": {
            "uid": UID, "disk": limits.disk_bytes, "inodes": limits.files, "workspace": bool(workspace), "pipe": None,
            "alias": workspace if workspace.startswith(_COVERED) else None,
            "link": workspace if workspace and not workspace.startswith(PRIVATE) else None,
            "kept": sorted(path for path in kept if not any(path.startswith(f"{other}/") for other in kept)),
        },
        "request": request_for(job, interpreter=False, egress=None, grouped=True),
        "filter": seccomp.load("x86_64", watch=True), "group": group_settings(limits),
        "stdin": None if job.stdin is not None else len(command.stdin),
        "cpu_microseconds": None if limits.cpu_seconds is None else int(limits.cpu_seconds * 1e6),
        "artifacts": "build" if command.build else (command.collect or "").rstrip("/"),
        "keep_layer": bool(command.keep_layer and workspace), "most": min(limits.disk_bytes, MOST_READ_BACK),
    }
