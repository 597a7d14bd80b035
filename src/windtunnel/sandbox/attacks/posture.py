"""How one process stands, read from the host's /proc while it holds still."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")
CAPABILITY_SETS = ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb")
_PRIVATE_KINDS = frozenset({"tmpfs", "proc", "devpts", "mqueue", "ramfs", "overlay"})
_OF_ONE_RUN = ("tmpfs", "windtunnel")
"""Kind and source of what the container level makes for a program to write to."""
_NODES = frozenset({"/null", "/zero", "/full", "/random", "/urandom", "/tty"})
_SAFE_DEVICES = {(1, 3), (1, 5), (1, 7), (1, 8), (1, 9), (5, 0), (5, 2)}
_PTY_MAJORS = range(136, 144)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mount:
    """One line of a mount table."""

    device: str
    source: str
    root: str
    point: str
    kind: str
    writable: bool
    shared: bool = False
    """Whether its file system is in our own mount table too."""

    @property
    def host_writable(self) -> bool:
        """Whether it lets a program write to a file system of the host; a harmless device node is none."""
        if not self.writable or (self.root in _NODES and self.point == f"/dev{self.root}"):
            return False
        return self.kind not in _PRIVATE_KINDS or self.shared


@dataclass(frozen=True, slots=True, kw_only=True)
class Posture:
    """What the kernel says of one process."""

    pid: int
    status: dict[str, str]
    namespaces: dict[str, str]
    descriptors: dict[int, str]
    devices: tuple[str, ...]
    """Descriptors open on devices beyond null, zero, random and terminals."""
    mounts: tuple[Mount, ...]
    oom_score_adj: int
    policy: int
    nice: int
    session: int
    interfaces: tuple[str, ...]

    @property
    def uids(self) -> set[str]:
        """Real, effective, saved and file-system user ids, as the host numbers them."""
        return set(self.status["Uid"].split())

    @property
    def shared_namespaces(self) -> tuple[str, ...]:
        """Namespaces that are our own."""
        ours = {name: str(Path("/proc/self/ns", name).readlink()) for name in NAMESPACES}
        return tuple(name for name in NAMESPACES if self.namespaces[name] == ours[name])

    @property
    def capabilities(self) -> dict[str, str]:
        """Those of the sets that are not empty."""
        return {name: self.status[name] for name in CAPABILITY_SETS if int(self.status[name], 16)}


def posture_of(pid: int) -> Posture:
    """Read it all; the kernel's refusals are raised."""
    # While it holds still: once it is gone, the numbers of its file systems are given to others.
    ours = _our_devices()
    folder = Path("/proc", str(pid))
    status = dict(line.split(":\t", 1) for line in (folder / "status").read_text().splitlines() if ":\t" in line)
    fields = (folder / "stat").read_text().rpartition(")")[2].split()
    descriptors, devices = _descriptors(folder)
    return Posture(
        pid=pid,
        status={name: value.strip() for name, value in status.items()},
        namespaces={name: str((folder / "ns" / name).readlink()) for name in NAMESPACES},
        descriptors=descriptors,
        devices=devices,
        mounts=tuple(_mount(line, ours) for line in (folder / "mountinfo").read_text().splitlines()),
        oom_score_adj=int((folder / "oom_score_adj").read_text()),
        policy=int(fields[38]),
        nice=int(fields[16]),
        session=int(fields[3]),
        interfaces=tuple(re.findall(r"^\s*([^\s:]+):", (folder / "net/dev").read_text(), re.MULTILINE)),
    )


def _descriptors(folder: Path) -> tuple[dict[int, str], tuple[str, ...]]:
    links, devices = {}, []
    for entry in sorted((folder / "fd").iterdir(), key=lambda path: int(path.name)):
        links[int(entry.name)] = link = str(entry.readlink())
        found = entry.stat()
        number = (os.major(found.st_rdev), os.minor(found.st_rdev))
        special = stat.S_ISBLK(found.st_mode) or stat.S_ISCHR(found.st_mode)
        if special and number not in _SAFE_DEVICES and number[0] not in _PTY_MAJORS:
            devices.append(link)
    return links, tuple(devices)


def _our_devices() -> set[str]:
    """Of all file systems that we see ourselves, but for those that were made for one run alone."""
    mounts = (_mount(line, set()) for line in Path("/proc/self/mountinfo").read_text().splitlines())
    return {mount.device for mount in mounts if (mount.kind, mount.source) != _OF_ONE_RUN}


def _mount(line: str, ours: set[str]) -> Mount:
    left, _, right = line.partition(" - ")
    fields, (kind, source, options) = left.split(), right.split(" ", 2)
    return Mount(
        device=fields[2],
        source=source,
        root=fields[3],
        point=fields[4],
        kind=kind,
        writable="rw" in fields[5].split(",") and "rw" in options.split(","),
        shared=fields[2] in ours,
    )
