"""A container's specification as the words of a command line, and as the body of a request. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.container.engine import Mount, Spec

_SECURITY = "no-new-privileges"
_PERIOD = 100_000


def create_arguments(spec: Spec, *, profile: str, podman: bool) -> list[str]:
    """What follows ``docker create`` or ``docker run``; ``profile`` is a file with the system-call filter."""
    made = ["--interactive", "--network", spec.network, "--read-only", "--cap-drop", "ALL", "--hostname", "sandbox",
            "--security-opt", _SECURITY, "--security-opt", f"seccomp={profile}", "--user", spec.user, "--workdir", "/",
            "--pull", "never", "--log-driver", "none", "--ipc", "private", "--cgroupns", "private",
            "--entrypoint", "", "--no-healthcheck"]
    if podman:
        made += ["--read-only-tmpfs=false", "--no-hosts"]
    made += [word for name, value in sorted(spec.labels.items()) for word in ("--label", f"{name}={value}")]
    made += [word for name, value in sorted(spec.ulimits.items()) for word in ("--ulimit", f"{name}={value}:{value}")]
    made += [word for mount in spec.mounts for word in ("--mount", _mount(mount))]
    if spec.limited:
        made += _limits(spec)
    for option, value in (("--runtime", "" if podman else spec.runtime), ("--gpus", spec.gpus),
                          ("--userns", spec.user_namespace)):
        made += [option, value] if value else []
    made += ["--rm"] if spec.fleeting else []
    return [*made, "--init", "--", spec.image, *spec.argv]


def _limits(spec: Spec) -> list[str]:
    return ["--memory", str(spec.memory_bytes), "--memory-swap", str(spec.memory_bytes + spec.swap_bytes),
            "--pids-limit", str(spec.processes), "--cpu-period", str(_PERIOD),
            "--cpu-quota", str(quota(spec)), "--cpu-shares", str(spec.cpu_weight)]


def quota(spec: Spec) -> int:
    """Microseconds of processor time in each tenth of a second."""
    return max(1000, int(spec.cores * _PERIOD))


def _mount(mount: Mount) -> str:
    """In the quoted form of one CSV record, so that no path can add an option."""
    fields = ["type=bind", f"source={mount.source}", f"target={mount.target}"]
    fields += ["readonly"] if mount.read_only else []
    return ",".join(_quoted(field) for field in fields)


def _quoted(field: str) -> str:
    if "\r" in field:  # engines read the record with carriage returns left out: another path than the one meant
        raise IsolationUnavailable(f"a path with a carriage return cannot be mounted by command line: {field[:200]!r} "
                                   "(pip install 'windtunnel[docker]', or rename it)")
    return '"' + field.replace('"', '""') + '"' if any(sign in field for sign in ',"\n') else field


def create_body(spec: Spec, *, profile: str) -> dict[str, Any]:
    """The body of the engine's own create request; ``profile`` is the filter, or a file with it."""
    host: dict[str, Any] = {
        "NetworkMode": spec.network, "ReadonlyRootfs": True, "CapDrop": ["ALL"], "IpcMode": "private",
        "CgroupnsMode": "private",
        "SecurityOpt": [_SECURITY, f"seccomp={profile}"], "LogConfig": {"Type": "none", "Config": {}},
        "Init": True, "Mounts": [_bind(mount) for mount in spec.mounts],
        "Ulimits": [{"Name": name, "Soft": value, "Hard": value} for name, value in sorted(spec.ulimits.items())],
        **dict(_body_limits(spec)),
    }
    if spec.runtime:
        host["Runtime"] = spec.runtime
    if spec.user_namespace:
        host["UsernsMode"] = spec.user_namespace
    if spec.gpus:
        host["DeviceRequests"] = [_gpus(spec.gpus)]
    return {
        "Image": spec.image, "Entrypoint": [], "Cmd": list(spec.argv), "User": spec.user, "WorkingDir": "/",
        "Hostname": "sandbox", "OpenStdin": True, "StdinOnce": True, "AttachStdin": True, "AttachStdout": True,
        "AttachStderr": True, "Tty": False, "Labels": dict(spec.labels), "HostConfig": host,
        "Healthcheck": {"Test": ["NONE"]},
    }


def _body_limits(spec: Spec) -> Iterator[tuple[str, int]]:
    if spec.limited:
        yield from {
            "Memory": spec.memory_bytes, "MemorySwap": spec.memory_bytes + spec.swap_bytes,
            "PidsLimit": spec.processes, "CpuPeriod": _PERIOD, "CpuQuota": quota(spec), "CpuShares": spec.cpu_weight,
        }.items()


def _bind(mount: Mount) -> dict[str, Any]:
    return {"Type": "bind", "Source": mount.source, "Target": mount.target, "ReadOnly": mount.read_only}


def _gpus(text: str) -> dict[str, Any]:
    if text == "all":
        return {"Driver": "", "Count": -1, "Capabilities": [["gpu"]]}
    if text.isdigit():
        return {"Driver": "", "Count": int(text), "Capabilities": [["gpu"]]}
    return {"Driver": "", "DeviceIDs": text.removeprefix("device=").split(","), "Capabilities": [["gpu"]]}
