"""What this machine can enforce, found by looking and by trying."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable, WindtunnelError
from windtunnel.core.result import Level
from windtunnel.sandbox import cgroups, seccomp, stems
from windtunnel.sandbox.remedies import remedy


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One control on this machine."""

    level: str
    name: str
    ready: bool
    found: str
    remedy: str = ""
    needed: bool = False
    """Whether the process level cannot be had without it."""


def examine(cache_dir: Path) -> list[Finding]:
    """All findings, strongest wall of each level first; ``cache_dir`` is where the vm level keeps its kernel."""
    return [*_process_level(), *_groups(), _landlock(), *_containers(), *_machines(cache_dir)]


def _process_level() -> Iterator[Finding]:
    said = []
    for program in stems.candidates():
        try:
            stem = stems.Stem(stems.Kind(interpreter=None, paths=()), bubblewrap=program)
        except WindtunnelError as failure:
            said.append(f"{program}: {failure}")
            continue
        user = stem.user.uid
        stem.close()
        yield Finding(level=Level.PROCESS, name="namespaces", ready=True, needed=True, found=program)
        yield Finding(level=Level.PROCESS, name="host user", ready=True, needed=True,
                      found=f"uid {user}" + (", thrown away after use" if os.geteuid() == 0 else ", yours"))
        break
    else:
        yield Finding(level=Level.PROCESS, name="namespaces", ready=False, needed=True,
                      found="; ".join(said) or "no bubblewrap", remedy=remedy(said))
    try:
        length = len(seccomp.load(platform.machine(), watch=True)) // 8
        yield Finding(level=Level.PROCESS, name="system-call filter", ready=True, needed=True,
                      found=f"{length} instructions for {platform.machine()}")
    except IsolationUnavailable as failure:
        yield Finding(level=Level.PROCESS, name="system-call filter", ready=False, needed=True, found=str(failure))


def _groups() -> Iterator[Finding]:
    groups = cgroups.find()
    found = f"version {groups.version}" if groups else "none that we may make; the supervisor watches instead"
    if groups:
        groups.close()
    remedy_text = "" if groups else (
        "run as root, or in a delegated scope: systemd-run --user --scope -p Delegate=yes windtunnel ...")
    yield Finding(level=Level.PROCESS, name="control groups", ready=groups is not None, found=found, remedy=remedy_text)


def _landlock() -> Finding:
    listed = Path("/sys/kernel/security/lsm")
    version = stems.landlock_version()
    active = f" (active: {listed.read_text()})" if listed.is_file() else ""
    told = f"version {version}" if version else f"absent{active}"
    return Finding(level=f"{Level.PROCESS}, {Level.RESTRICTED}", name="landlock", ready=version > 0, found=told,
                   remedy="" if version else "a kernel of 5.13 or later, booted with lsm=landlock,...")


def _containers() -> Iterator[Finding]:
    from windtunnel.sandbox.container.find import ENGINES, INSTALL, find_engine  # noqa: PLC0415 -- slow to load

    for name in ENGINES:
        try:
            facts = find_engine(name).facts()
        except IsolationUnavailable as failure:
            yield Finding(level=Level.CONTAINER, name=name, ready=False, found=str(failure), remedy=INSTALL[name])
            continue
        lacks = [name for name, there in (("no process 1", facts.init), ("no system-call filter", facts.seccomp))
                 if not there]
        limits = f"limits by cgroup v{facts.groups}" if facts.groups else "limits by the supervisor"
        kind = "rootless" if facts.rootless else "root's"
        yield Finding(
            level=Level.CONTAINER, name=name, ready=not lacks, remedy=INSTALL[f"{name} init"] if not facts.init else "",
            found=", ".join([f"{facts.version} by its {facts.by}", kind, facts.runtime, limits, *lacks]))


def _machines(cache_dir: Path) -> Iterator[Finding]:
    from windtunnel.sandbox.vm.probe import probe  # noqa: PLC0415 -- few need it

    for part in probe(cache_dir / "vm"):
        yield Finding(level=Level.VM, name=part.name, ready=part.ready, found=part.found, remedy=part.remedy)
