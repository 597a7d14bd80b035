"""The folder on the host behind one container: what it is shown, and what it leaves.

What holds: the program writes only here; as root the whole is one small file system of the size allowed, and a
project is laid under an overlay; all is gone with the cell, or after our death by the guardian or the next supervisor.
What does not hold: without root there is no file system of a given size, so the supervisor counts, and a project is
copied.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import re
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable, SandboxFailure
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job
from windtunnel.core.result import Artifact
from windtunnel.sandbox import harvest
from windtunnel.sandbox.container.door import Door
from windtunnel.sandbox.container.engine import Mount
from windtunnel.sandbox.container.project import copy_tree, lay_over
from windtunnel.sandbox.container.starter import run_block
from windtunnel.sandbox.container.watching import Sight
from windtunnel.sandbox.handover import memory_file, script
from windtunnel.sandbox.private import SHARED_PLACE, make_folder, own_folder, own_place, place_files, remove_folder
from windtunnel.sandbox.request import folders_for, mode_of
from windtunnel.spawn import ask

GATE = "/windtunnel"
"""Where the way in is shown inside."""
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_WRITABLE = {"/tmp": 0o1777, "/dev/shm": 0o1777, "/sandbox": 0o755}  # noqa: S108 -- inside the container
_MOUNT_SECONDS = 20.0
_DETACH = 2


class Cell:
    """Made before its container, removed after it."""

    def __init__(
        self, limits: Limits, *, uid: int, sight: Sight, workspace: str | None = None, mapped: bool = False,
    ) -> None:
        """``uid`` is who the program is on the host; ``mapped`` says that root inside is not root here.

        ``sight`` says what the starter does for us.

        Nobody else of the host comes to what lies here, but for a mapped root, who must find it: then the way is open
        to those who know its name.
        """
        self.limits, self.workspace, self.user, self.sight = limits, workspace, uid, sight
        self.root = os.geteuid() == 0
        self.uid = uid if self.root else None
        self.copied = False
        self.path, self._lock = make_folder(SHARED_PLACE if self.root else own_place())
        self._open: dict[str, int] = {}
        self._go = -1
        self.door: Door | None = None
        try:
            if self.root and mapped:
                os.fchmod(self._lock, 0o711)
            self._make()
        except BaseException:
            self.remove()
            raise

    def _make(self) -> None:
        disk = f"{self.path}/disk"
        Path(disk).mkdir(mode=0o711)
        Path(disk).chmod(0o711)
        if self.root:
            mount_disk(disk, self.limits)
        for name, mode in _WRITABLE.items():
            own_folder(f"{disk}/{name.rpartition('/')[2]}", uid=self.uid, mode=mode)
            self._open[name] = os.open(f"{disk}/{name.rpartition('/')[2]}", _FOLDER)
        for folder in (f"{self.path}/gate", f"{disk}/run"):
            _folder_for_all(Path(folder))
        self._make_gate(Path(self.path, "gate"))
        Path(self.path, "hosts").touch(mode=0o644)
        if self.workspace is not None:
            self._lay_project(disk)

    def _make_gate(self, gate: Path) -> None:
        """The starter, the word it waits for, and where it comes to."""
        if os.statvfs(gate).f_flag & os.ST_NOEXEC:
            place, other = gate.parents[1], "" if self.root else ", or set XDG_RUNTIME_DIR"
            raise IsolationUnavailable(f"nothing may be executed in {place}, where a container's starter would lie "
                                       f"(mount -o remount,exec {place}{other})")
        _show(gate / "start", self.sight.starter(GATE), mode=0o755)
        os.mkfifo(gate / "go", 0o644)
        (gate / "go").chmod(0o644)
        self._go = os.open(gate / "go", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        if self.sight.processes:
            self.door = Door(str(gate))

    def _lay_project(self, disk: str) -> None:
        """As an overlay where we may mount one, else as a copy."""
        assert self.workspace is not None
        own_folder(f"{disk}/workspace", uid=self.uid, mode=0o755)
        if self.root and self._mount_overlay(disk):
            self._open["/workspace"] = os.open(f"{disk}/upper", _FOLDER)
            return
        self.copied = True
        copy_tree(self.workspace, f"{disk}/workspace", uid=self.uid)
        self._open["/workspace"] = os.open(f"{disk}/workspace", _FOLDER)

    def _mount_overlay(self, disk: str) -> bool:
        lower = f"{self.path}/lower"
        own_folder(lower, uid=None)
        own_folder(f"{disk}/upper", uid=self.uid, mode=stat.S_IMODE(Path(str(self.workspace)).stat().st_mode))
        own_folder(f"{disk}/work", uid=self.uid)
        order = {"project": self.workspace, "uid": self.uid, "lower": lower, "upper": f"{disk}/upper",
                 "work": f"{disk}/work", "merged": f"{disk}/workspace"}
        with open(memory_file(marshal.dumps(order)), "rb") as given:  # noqa: PTH123 -- by descriptor
            code, _ = ask(script("overlay"), seconds=_MOUNT_SECONDS, stdin=given, env={})
        return code == 0

    def mounts(self, *, read_only: bool) -> list[Mount]:
        """What the container is shown of it."""
        shown = [Mount(source=f"{self.path}/gate", target=GATE)]
        shown += [Mount(source=f"{self.path}/disk/{name.rpartition('/')[2]}", target=name,
                        read_only=name == "/sandbox" and read_only) for name in _WRITABLE]
        if self.workspace is not None:
            source = f"{self.path}/disk/workspace"
            shown += [Mount(source=source, target=target, read_only=False) for target in ("/workspace", self.workspace)]
        return shown

    def cover(self, place: str, shown: Sequence[Mount]) -> Mount:
        """A read-only folder over a place inside, with nothing in it but the points where others are shown."""
        top = Path(self.path, "cover")
        _folder_for_all(top)
        for mount in shown:
            if mount.target.startswith(f"{place}/"):
                *folders, name = mount.target.removeprefix(f"{place}/").split("/")
                point = top
                for step in folders:
                    point /= step
                    _folder_for_all(point)
                _folder_for_all(point / name) if Path(mount.source).is_dir() else (point / name).touch()
        return Mount(source=str(top), target=place)

    def place(self, job: Job, *, hosts: bytes = b"") -> None:
        """The program's files, its change to the project, the hosts it may reach, and the command it becomes."""
        command = job.command
        if hosts:
            Path(self.path, "hosts").write_bytes(hosts)
        place_files(f"{self.path}/disk/sandbox", command, uid=self.uid)
        for name in folders_for(job):
            own_folder(f"{self.path}/disk/tmp/{name}", uid=self.uid)
        if command.overlay:
            with _opened(f"{self.path}/disk/workspace") as folder:
                for name, file in command.overlay.items():
                    lay_over(folder, name, data=None if file is None else file.data,
                             mode=None if file is None else mode_of(file), uid=self.uid)
        _show(Path(self.path, "gate", "run"), run_block(command.argv, command.env, cwd=command.cwd))

    def open_gate(self) -> None:
        """Let the waiting starter start the program."""
        os.write(self._go, b"go\n")

    def passed(self) -> bool:
        """Whether the waiting starter took the word, so that what ended afterwards was the program."""
        try:
            return not os.read(self._go, 1)
        except BlockingIOError:
            return True

    def writable(self, job: Job) -> dict[str, int]:
        """Descriptors of the folders that the program could write to, by the name it knows."""
        return {name: folder for name, folder in self._open.items() if name != "/sandbox" or not job.read_only}

    def used(self) -> tuple[int, bool]:
        """Bytes in use, and whether the room is full."""
        if self.root:
            room = os.fstatvfs(self._open["/tmp"])  # noqa: S108
            return (room.f_blocks - room.f_bfree) * room.f_frsize, room.f_bfree == 0 or room.f_ffree == 0
        size, entries = harvest.measure(self._lock, "disk", most_entries=self.limits.files)
        return size, size > self.limits.disk_bytes or entries > self.limits.files

    def artifacts(self, job: Job) -> dict[str, Artifact]:
        """What the command asked to read back."""
        name = "build" if job.command.build else (job.command.collect or "").rstrip("/")
        return harvest.read_tree(self._open["/tmp"], name, most_bytes=job.limits.disk_bytes) if name else {}  # noqa: S108

    def layer(self, job: Job) -> dict[str, Artifact | None]:
        """What the run left in its workspace, for a command that asked for it."""
        if not job.command.keep_layer or self.workspace is None:
            return {}
        return harvest.layer_of(job, self._open["/workspace"], self.workspace, copied=self.copied)

    def remove(self) -> None:
        """Unmount and remove all of it."""
        for descriptor in (self._go, *self._open.values()):
            if descriptor >= 0:
                os.close(descriptor)
        self._go, self._open = -1, {}
        if self.door is not None:
            self.door.close()
        if self.root:
            unmount_below(self.path)
        remove_folder(self.path, self._lock)


def _show(path: Path, data: bytes, *, mode: int = 0o644) -> None:
    """A file that the program may read, whatever our umask."""
    path.write_bytes(data)
    path.chmod(mode)


def _folder_for_all(path: Path) -> None:
    path.mkdir(exist_ok=True)
    path.chmod(0o755)


def mount_disk(path: str, limits: Limits) -> None:
    """A file system in memory that holds no more than is allowed."""
    from windtunnel.sandbox.inside import kernel  # noqa: PLC0415 -- ctypes, which few need

    options = b"size=%d,nr_inodes=%d,mode=0711" % (limits.disk_bytes, limits.files)
    try:
        kernel.mount(b"windtunnel", path.encode(), b"tmpfs", kernel.MS_NOSUID | kernel.MS_NODEV, options)
    except OSError as error:
        raise SandboxFailure(f"no file system of a given size can be mounted here: {error}") from error


def unmount_below(path: str) -> None:
    """Every mount below a folder, the last one first."""
    from windtunnel.sandbox.inside import kernel  # noqa: PLC0415

    for point in reversed(mount_points(path)):
        kernel.libc.umount2(os.fsencode(point), _DETACH)


def mount_points(path: str, *, table: Path = Path("/proc/self/mountinfo")) -> list[str]:
    """Where something is mounted below a folder, in the order it was."""
    with contextlib.suppress(OSError):
        lines = os.fsdecode(table.read_bytes()).split("\n")
        points = [_unescaped(line.split(" ")[4]) for line in lines if line]
        return [point for point in points if point.startswith(path + "/")]
    return []


def _unescaped(text: str) -> str:
    return re.sub(r"\\([0-7]{3})", lambda match: chr(int(match[1], 8)), text)


@contextlib.contextmanager
def _opened(path: str) -> Iterator[int]:
    descriptor = os.open(path, _FOLDER)
    try:
        yield descriptor
    finally:
        os.close(descriptor)
