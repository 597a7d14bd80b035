"""Control groups: limits for a whole process tree, by whichever version the host has.

``find()`` answers with the groups this process may make, or None. Version 2 is used where the groups above ours
delegate memory and pids to us; version 1 where its hierarchies are writable (as a rule: for root).
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.limits import Limits

_NAME = "windtunnel"
_NEEDED, _WANTED = ("memory", "pids"), ("cpu",)
_V1 = ("memory", "pids", "cpu", "cpuacct")
_PERIOD = 100_000
_SWAP_V1 = "?memory.memsw.limit_in_bytes"
_count, _owners = itertools.count(1), itertools.count(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a group has used, and which limits it met."""

    cpu_seconds: float | None
    memory_peak_bytes: int | None
    processes_peak: int | None
    oom_kills: int
    process_refusals: int


class Group:
    """The control group of one run."""

    def __init__(self, folders: dict[str, Path], *, version: int, made: bool = False) -> None:
        """Make the folders unless they are ``made`` already; nothing is limited until ``apply``."""
        self.version = version
        self.folders = folders
        self._places = {name: str(folder) for name, folder in folders.items()}
        self._applied: dict[tuple[str, str], str] = {}
        for folder in set() if made else set(folders.values()):
            folder.mkdir()

    def apply(self, limits: Limits) -> None:
        """Set every limit that differs from what is set."""
        writes = _v2_writes(limits) if self.version == 2 else _v1_writes(limits)  # noqa: PLR2004
        changed = [write for write in writes if write[0] in self.folders and self._applied.get(write[:2]) != write[2]]
        if self.version == 1 and self._applied and any(controller == "memory" for controller, _, _ in changed):
            # Memory may never exceed memory plus swap, not even between two writes.
            _write(self.folders["memory"] / _SWAP_V1, "-1")
            changed += [write for write in writes if write[1] == _SWAP_V1 and write not in changed]
        for controller, name, value in changed:
            _write(self.folders[controller] / name, value)
            self._applied[controller, name] = value

    def entrances(self) -> list[int]:
        """Descriptors; a process of one thread that writes ``0`` to each has entered the group.

        In version 1 by the file of threads: a thread that moves itself takes no lock, while moving a process waits
        for every processor to pass through the scheduler, many milliseconds.
        """
        name = "cgroup.procs" if self.version == 2 else "tasks"  # noqa: PLR2004
        return [os.open(folder / name, os.O_WRONLY | os.O_CLOEXEC) for folder in set(self.folders.values())]

    def spent(self) -> Spent:
        """What was used so far."""
        return self._spent_v2() if self.version == 2 else self._spent_v1()  # noqa: PLR2004

    def cpu_seconds(self) -> float:
        """Processor time of the whole tree, dead processes included."""
        if self.version == 2:  # noqa: PLR2004
            return _field(f"{self._places['memory']}/cpu.stat", "usage_usec") / 1e6
        return _number(f"{self._places['cpuacct']}/cpuacct.usage") / 1e9

    def oom_kills(self) -> int:
        """How many processes the kernel ended for want of memory."""
        name = "memory.events" if self.version == 2 else "memory.oom_control"  # noqa: PLR2004
        return _field(f"{self._places['memory']}/{name}", "oom_kill")

    def _spent_v1(self) -> Spent:
        memory, pids = self._places["memory"], self._places["pids"]
        return Spent(
            cpu_seconds=self.cpu_seconds(), memory_peak_bytes=_number(f"{memory}/memory.max_usage_in_bytes"),
            processes_peak=_optional(f"{pids}/pids.peak"), oom_kills=self.oom_kills(),
            process_refusals=_field(f"{pids}/pids.events", "max"))

    def _spent_v2(self) -> Spent:
        folder = self._places["memory"]
        return Spent(
            cpu_seconds=self.cpu_seconds(), memory_peak_bytes=_optional(f"{folder}/memory.peak"),
            processes_peak=_optional(f"{folder}/pids.peak"), oom_kills=self.oom_kills(),
            process_refusals=_field(f"{folder}/pids.events", "max"))

    def remove(self) -> bool:
        """Remove the folders; False while something in them still lives."""
        for folder in set(self.folders.values()):
            try:
                folder.rmdir()
            except FileNotFoundError:
                continue
            except OSError:
                return False
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """Where this process may make control groups."""

    version: int
    parents: dict[str, Path]
    """Controller name to our own folder below which each run gets one."""

    def make(self) -> Group:
        """A new group, unlimited as yet."""
        number = next(_count)
        return Group({name: parent / f"run-{number}" for name, parent in self.parents.items()}, version=self.version)

    def close(self) -> None:
        """Remove our own folder, and what is empty below it."""
        for parent in set(self.parents.values()):
            _remove_tree(parent)


def find(*, root: Path = Path("/"), owner: str | None = None) -> Groups | None:
    """The groups this process may make; left-overs of dead processes are removed on the way."""
    name = f"{_NAME}-{owner or _own_name()}"
    for version, parents in ((2, _v2_parents(root)), (1, _v1_parents(root))):
        if parents is None:
            continue
        for parent in set(parents.values()):
            sweep(parent)
        own = {controller: parent / name for controller, parent in parents.items()}
        with contextlib.suppress(OSError):
            for folder in set(own.values()):
                folder.mkdir(exist_ok=True)
            if version == 2:  # noqa: PLR2004
                _write(own["memory"] / "cgroup.subtree_control", " ".join(f"+{name}" for name in own))
            groups = Groups(version=version, parents=own)
            groups.make().remove()
            return groups
        for folder in set(own.values()):
            with contextlib.suppress(OSError):
                folder.rmdir()
    return None


def of_process(pid: int, *, root: Path = Path("/")) -> Group | None:
    """The group that holds a process of someone else's, to read from; None where its memory is not accounted."""
    with contextlib.suppress(OSError):
        mounts, memberships = _mounts(root), _memberships(root, pid=str(pid))
        if all(name in mounts and name in memberships for name in _V1):
            folders = {name: mounts[name] / memberships[name].lstrip("/") for name in _V1}
            if (folders["memory"] / "memory.usage_in_bytes").exists():
                return Group(folders, version=1, made=True)
        if "" in mounts and "" in memberships:
            folder = mounts[""] / memberships[""].lstrip("/")
            if (folder / "memory.current").exists():
                return Group(dict.fromkeys((*_NEEDED, *_WANTED), folder), version=2, made=True)
    return None


def container_folders(container: str, *, root: Path = Path("/")) -> list[Path]:
    """Where Docker usually puts the group of a container, by either of its drivers."""
    with contextlib.suppress(OSError):
        mounts = _mounts(root)
        top = mounts.get("memory") or mounts.get("")
        if top is not None:
            return [top / "docker" / container, top / "system.slice" / f"docker-{container}.scope"]
    return []


def first_process(folder: Path, *, root: Path = Path("/")) -> int:
    """The process of a group that is number 1 in a namespace below ours; zero while there is none."""
    with contextlib.suppress(OSError, ValueError):
        for pid in map(int, (folder / "cgroup.procs").read_text().split()):
            numbers = re.search(r"^NSpid:\s(.*)$", (root / f"proc/{pid}/status").read_text(), re.MULTILINE)
            words = Path(root / f"proc/{pid}/comm").read_text().split()
            if numbers is not None and numbers[1].split()[-1] == "1" and words[:1] != ["runc:[2:INIT]"]:
                return pid
    return 0


def sweep(parent: Path) -> None:
    """Remove the groups of supervisors that are gone; those of another process namespace cannot be judged from here."""
    with contextlib.suppress(OSError):
        for folder in parent.glob(f"{_NAME}-*"):
            match = re.fullmatch(rf"{_NAME}-(\d+)-(\d+)-(\d+)-\d+", folder.name)
            if match and int(match[1]) == _process_namespace() and start_time(int(match[2])) != int(match[3]):
                _remove_tree(folder)


def start_time(pid: int) -> int | None:
    """When the process started, in clock ticks since boot; with the pid it names a process for good."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return None
    return int(stat.rpartition(b")")[2].split()[19])


def _own_name() -> str:
    """Unlike any other's, also when one process has several supervisors."""
    return f"{_process_namespace()}-{os.getpid()}-{start_time(os.getpid())}-{next(_owners)}"


def _process_namespace() -> int:
    return Path("/proc/self/ns/pid").stat().st_ino


def _remove_tree(folder: Path) -> None:
    for _ in range(100):
        for run in [*folder.glob("run-*"), folder]:
            with contextlib.suppress(OSError):
                _kill_members(run)
                run.rmdir()
        if not folder.exists():
            return
        time.sleep(0.01)


def _kill_members(folder: Path) -> None:
    if folder.name.startswith("run-"):
        kill_members(folder)


def kill_members(folder: Path) -> None:
    """Kill the group's processes. One of another process namespace is listed as 0, which would mean ourselves."""
    for pid in map(int, (folder / "cgroup.procs").read_text().split()):
        if pid > 0:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)


def _memberships(root: Path, *, pid: str = "self") -> dict[str, str]:
    """Controller to a process's path in its hierarchy; the empty name is version 2."""
    found = {}
    for line in (root / "proc" / pid / "cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        for controller in controllers.split(","):
            found[controller] = path
    return found


def _mounts(root: Path) -> dict[str, Path]:
    """Controller to mount point; the empty name is version 2."""
    found: dict[str, Path] = {}
    for line in (root / "proc/self/mountinfo").read_text().splitlines():
        left, _, right = line.partition(" - ")
        kind, _, options = right.split(" ", 2)
        point = root / left.split()[4].lstrip("/")
        if kind == "cgroup2":
            found[""] = point
        elif kind == "cgroup":
            found.update({name: point for name in options.split(",") if name in _V1})
    return found


def _v1_parents(root: Path) -> dict[str, Path] | None:
    with contextlib.suppress(OSError):
        mounts, memberships = _mounts(root), _memberships(root)
        if all(name in mounts and name in memberships for name in _V1):
            return {name: mounts[name] / memberships[name].lstrip("/") for name in _V1}
    return None


def _v2_parents(root: Path) -> dict[str, Path] | None:
    """The nearest group above ours that hands memory and pids, with luck cpu too, to its children and lets us in."""
    with contextlib.suppress(OSError):
        mount = _mounts(root).get("")
        path = _memberships(root).get("")
        if mount is None or path is None:
            return None
        folder, second = mount / path.lstrip("/"), None
        while True:
            handed = (folder / "cgroup.subtree_control").read_text().split()
            if all(name in handed for name in _NEEDED) and os.access(folder / "cgroup.procs", os.W_OK):
                if all(name in handed for name in _WANTED):
                    return dict.fromkeys((*_NEEDED, *_WANTED), folder)
                second = second or dict.fromkeys(_NEEDED, folder)
            if folder == mount:
                return second
            folder = folder.parent
    return None


def _v1_writes(limits: Limits) -> list[tuple[str, str, str]]:
    memory = limits.memory_bytes
    return [
        ("memory", "memory.limit_in_bytes", str(memory)),
        ("memory", _SWAP_V1, str(memory + limits.swap_bytes)),
        ("pids", "pids.max", str(limits.processes + 1)),
        ("cpu", "cpu.cfs_period_us", str(_PERIOD)),
        ("cpu", "cpu.cfs_quota_us", str(max(1000, int(limits.cores * _PERIOD)))),
        ("cpu", "cpu.shares", str(limits.cpu_weight)),
    ]


def _v2_writes(limits: Limits) -> list[tuple[str, str, str]]:
    weight = min(10_000, max(1, round(limits.cpu_weight * 100 / 1024)))
    return [
        ("memory", "memory.max", str(limits.memory_bytes)),
        ("memory", "?memory.swap.max", str(limits.swap_bytes)),
        ("memory", "?memory.oom.group", "1"),
        ("pids", "pids.max", str(limits.processes + 1)),
        ("cpu", "cpu.max", f"{max(1000, int(limits.cores * _PERIOD))} {_PERIOD}"),
        ("cpu", "cpu.weight", str(weight)),
    ]


def _write(path: Path, value: str) -> None:
    """Write a control file; a leading ``?`` in its name means that the kernel may not have it."""
    optional = path.name.startswith("?")
    try:
        descriptor = os.open(path.with_name(path.name.lstrip("?")), os.O_WRONLY | os.O_CLOEXEC)
    except FileNotFoundError:
        if optional:
            return
        raise
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(descriptor, 4096)
    finally:
        os.close(descriptor)


def _number(path: str) -> int:
    return int(_read(path))


def _optional(path: str) -> int | None:
    try:
        return _number(path)
    except (OSError, ValueError):
        return None


def _field(path: str, name: str) -> int:
    for line in _read(path).decode().splitlines():
        key, _, value = line.partition(" ")
        if key == name:
            return int(value)
    return 0
