"""What holds in one container, by what; and which rows of the self-check an engine does not hold. Pure."""

from __future__ import annotations

from windtunnel.core.ports import Job
from windtunnel.sandbox.container.cell import Cell
from windtunnel.sandbox.container.engine import Facts
from windtunnel.sandbox.container.owner import Owner
from windtunnel.sandbox.container.watching import own_kernel


def enforced(job: Job, cell: Cell, owner: Owner, *, facts: Facts, runtime: str, grouped: bool) -> dict[str, str]:
    """By control or limit; ``grouped`` says that the container's own control group could be read."""
    by = f"cgroup v{facts.groups}, by {facts.name}" if facts.groups and grouped else None
    held_by = {
        "engine": f"{facts.name} {facts.version}, by its {facts.by}", "runtime": runtime,
        **{f"{name} namespace": "own" for name in ("mount", "process", "ipc", "host name")},
        "network": "allow-list" if job.network.allow_hosts else "host" if job.network.host else "none",
        "root": "image, read-only",
        "host user": f"uid {owner.uid}", "capabilities": "none", "no new privileges": "yes",
        "system calls": "allow-list", "memory": by or "supervisor", "processes": by or "supervisor",
        "wall time": "supervisor", "output": "supervisor", "open files": "rlimit",
        "disk": "tmpfs size" if cell.root else "supervisor",
        "files": "tmpfs inodes" if cell.root else "supervisor",
    }
    if owner.mapped:
        held_by["user namespace"] = "own"
    if not _shares_groups(facts):
        held_by["cgroup namespace"] = "own"
    if own_kernel(runtime):
        held_by["system calls"] = f"a kernel of its own, by {runtime}"
        if not by:
            del held_by["processes"]  # which the supervisor cannot see
    if cell.workspace is not None:
        held_by["workspace"] = "copy" if cell.copied else "copy-on-write"
    if by:
        held_by |= {"swap": by, "cores": by, "cpu weight": by}
    if job.limits.cpu_seconds is not None:
        held_by["cpu time"] = by or "supervisor"
    return held_by


def known_exceptions(facts: Facts, owner: Owner) -> dict[str, str]:
    """Rows of the self-check that are not held with this engine, with their reasons."""
    shared = [*([] if owner.mapped else ["user"]), *(["cgroup"] if _shares_groups(facts) else [])]
    found = {"F10": "process 1 is the engine's own, under the program's user, who may lower its own chances"}
    if shared:
        found["K16"] = f"the engine gives no {' and no '.join(shared)} namespace of its own"
    return found


def _shares_groups(facts: Facts) -> bool:
    """Whether the engine leaves the control groups' namespace as it is, whatever it is asked."""
    return facts.name == "podman" and facts.by == "socket" and facts.groups == 1
