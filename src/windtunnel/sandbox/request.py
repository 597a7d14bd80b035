"""A job as the stem wants it: orders and requests, as plain data."""

from __future__ import annotations

import json
import math
import resource
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.core.language import BASE_ENV, usual_env
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Artifact
from windtunnel.sandbox.outside.names import RESOLVER
from windtunnel.sandbox.root import UID
from windtunnel.sandbox.stems import Kind, paths_of

if TYPE_CHECKING:
    from windtunnel.sandbox.egress import Egress

_SIGPENDING = 11
"""RLIMIT_SIGPENDING, which bounds timers too; the resource module has no name for it."""
PROXY = ("127.0.0.1", 3128)
_KEPT_PYTHON = ("PYTHONDONTWRITEBYTECODE",)


def kind_of(job: Job) -> Kind:
    """Which stem it grows from."""
    python = job.language.name == "python"
    env = _started_env(job) if _waits_at_pipe(job) else dict(BASE_ENV) | dict(job.toolchain.env)
    return Kind(
        interpreter=job.toolchain.run[0] if python else None, paths=job.toolchain.paths,
        host_network=job.network.host, certificates=job.network.host or bool(job.network.allow_hosts),
        waits=job.toolchain.warm is not None, gate=job.language.gate, workspace=job.command.workspace,
        workspace_id=_identity(job.command.workspace),
        env=tuple(sorted(env.items())))


def _identity(path: str | None) -> tuple[int, int]:
    if path is None:
        return 0, 0
    info = Path(path).lstat()
    return info.st_dev, info.st_ino


def _waits_at_pipe(job: Job) -> bool:
    return job.toolchain.warm is not None and not job.language.gate


def _started_env(job: Job) -> dict[str, str]:
    """All the variables of an interpreter that was started before its program came."""
    return usual_env(job.toolchain, cores=job.limits.cores)


def order_for(kind: Kind, limits: Limits, *, landlock: bool, watch: bool) -> dict[str, Any]:
    """How the sandbox itself is made; the request may still change its quota."""
    return {
        "uid": UID, "disk": limits.disk_bytes, "inodes": limits.files, "own_network": not kind.host_network,
        "landlock": landlock, "watch": watch, "rehearse": False, "gate": None, "pipe": None, "env": {},
        "cwd": "/workspace" if kind.workspace else "/sandbox", "workspace": bool(kind.workspace),
        "alias": kind.workspace if (kind.workspace or "").startswith(("/tmp/", "/dev/shm/")) else None,  # noqa: S108
        "kept": covered(kind),
    }


def covered(kind: Kind) -> list[str]:
    """Paths of the root that the private /tmp or /dev/shm would cover, outermost first."""
    wanted = {path for path in paths_of(kind) if path.startswith(("/tmp/", "/dev/shm/"))}  # noqa: S108
    return sorted(path for path in wanted if not any(path.startswith(other + "/") for other in wanted))


def loads_early(job: Job) -> bool:
    """Whether an interpreter that is already loaded may become this program."""
    if not job.warm or job.command.script is None:
        return False
    if job.toolchain.warm and (job.network.allow_hosts or job.network.outside is not None):
        return False  # its sockets are made by a process of ours, and this one is an interpreter already
    source = job.command.files[job.language.source]
    if _waits_at_pipe(job):
        return _as_started(job) and _is_plain(source)
    settings = any(name.startswith("PYTHON") and name not in _KEPT_PYTHON for name in job.command.env)
    return not settings and _is_plain(source)


def _as_started(job: Job) -> bool:
    """Whether an interpreter that was started before the program came was started as this one would be."""
    return dict(job.command.env) == _started_env(job) and len(job.command.argv) == len(job.toolchain.run)


def _is_plain(source: bytes) -> bool:
    """Whether reading it cannot fail; how an interpreter complains about other sources is its own business."""
    try:
        source.decode()
    except UnicodeDecodeError:
        return False
    return b"\0" not in source


def request_for(
    job: Job, *, interpreter: bool, egress: Egress | None, grouped: bool, outside: list[int] | None = None,
) -> dict[str, Any]:
    """The program, its files and its limits; ``outside`` are the ports that a simulated one answers on."""
    command, limits = job.command, job.limits
    env = dict(command.env)
    listen: list[tuple[str, int]] = []
    if egress is not None:
        listen = [PROXY, *((address, port) for address, port, _ in egress.direct_ports())]
        env = egress.proxy_env(PROXY[1]) | env
    arguments = list(command.argv[2:]) if command.script else []
    return {
        "files": [(name, data, 0o555 if name in command.executables else 0o444)
                  for name, data in command.files.items()],
        "argv": list(command.argv), "env": env, "cwd": command.cwd, "limits": rlimits(limits, grouped=grouped),
        "disk": limits.disk_bytes, "inodes": limits.files, "writable": not job.read_only, "folders": folders_for(job),
        "overlay": [(name, None if file is None else file.data, None if file is None else mode_of(file))
                    for name, file in command.overlay.items()],
        "settings": settings_for(egress, simulated=outside is not None), "listen": listen, "outside": outside,
        "interpreter": interpreter, "script": command.script, "sys_argv": [command.script or "", *arguments],
        "gate": json.dumps({"env": env, "argv": arguments}).encode() if job.language.gate else
        command.files.get(job.language.source, b""),
    }


def settings_for(egress: Egress | None, *, simulated: bool) -> list[tuple[str, bytes]]:
    """Files of the root that one run finds otherwise than its kind does."""
    hosts = [("/etc/hosts", egress.hosts_file())] if egress is not None else []
    return hosts + ([("/etc/resolv.conf", f"nameserver {RESOLVER}\n".encode())] if simulated else [])


def folders_for(job: Job) -> list[str]:
    """What is made below /tmp before the program starts."""
    collect = job.command.collect or ""
    return ["build"] * job.command.build + [collect.rstrip("/")] * collect.endswith("/")


def mode_of(file: Artifact) -> int | None:
    """The permission bits a file is given; None keeps those of the one it replaces."""
    return 0o755 if file.executable and file.mode is None else file.mode


def rlimits(limits: Limits, *, grouped: bool) -> list[tuple[int, int]]:
    """Per-process limits; second to the control group, which counts what it refuses, first where there is none."""
    made = [
        (resource.RLIMIT_NPROC, limits.processes + (64 if grouped else 1)), (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_FSIZE, limits.disk_bytes), (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_MEMLOCK, 1 << 20), (resource.RLIMIT_MSGQUEUE, 819_200), (_SIGPENDING, 1024),
    ]
    if limits.cpu_seconds is not None:
        made.append((resource.RLIMIT_CPU, math.ceil(limits.cpu_seconds) + 1))
    return made
