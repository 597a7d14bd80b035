#!/usr/bin/python3 -I
"""Process 1 of the guest: mounts, control groups as systemd lays them out, then the checks of each caller.

``root`` is a service of the system; ``delegated`` an ordinary user whose manager was given its groups;
``undelegated`` one whose session was not.
"""

from __future__ import annotations

import ctypes
import os
import traceback
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
MS_BIND, MS_MOVE = 4096, 8192
POWER_OFF = 0x4321FEDC
GROUPS = Path("/sys/fs/cgroup")
MANAGER = "user.slice/user-1001.slice/user@1001.service"
CALLERS = (
    ("root", 0, "system.slice/checks.service"),
    ("delegated", 1001, f"{MANAGER}/app.slice/checks.scope"),
    ("undelegated", 1002, "user.slice/user-1002.slice/session-1.scope"),
)
MOUNTS = (
    ("proc", "/proc", ""), ("sysfs", "/sys", ""), ("devtmpfs", "/dev", ""), ("devpts", "/dev/pts", "ptmxmode=0666"),
    ("tmpfs", "/dev/shm", "mode=1777"), ("tmpfs", "/tmp", "mode=1777"),
    ("cgroup2", "/sys/fs/cgroup", "nsdelegate,memory_recursiveprot"),
)


def mount(source: str, target: str, kind: str | None, *, flags: int = 0, data: str = "") -> None:
    """mount(2)."""
    kind_bytes = kind.encode() if kind else None
    if libc.mount(source.encode(), target.encode(), kind_bytes, ctypes.c_ulong(flags), data.encode()) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()), target)


def leave_first_root() -> None:
    """Nobody can pivot away from the kernel's very first root, and bubblewrap must; a bind of it will do."""
    mount("/", "/newroot", None, flags=MS_BIND)
    os.chdir("/newroot")
    mount(".", "/", None, flags=MS_MOVE)
    os.chroot(".")
    os.chdir("/")


def mount_all() -> None:
    """What every Linux has."""
    for kind, target, data in MOUNTS:
        Path(target).mkdir(exist_ok=True)
        mount(kind, target, kind, data=data)


def hand_down(folder: Path) -> None:
    """Give the controllers to the groups below."""
    (folder / "cgroup.subtree_control").write_text("+memory +pids +cpu")


def lay_out() -> None:
    """Slices that hand down, leaves that hold processes, and one manager's tree that belongs to its user."""
    (GROUPS / "init.scope").mkdir()
    (GROUPS / "init.scope/cgroup.procs").write_text("1")
    hand_down(GROUPS)
    for _, _, leaf in CALLERS:
        folder = GROUPS
        for name in leaf.split("/")[:-1]:
            folder /= name
            folder.mkdir(exist_ok=True)
            hand_down(folder)
        (GROUPS / leaf).mkdir()
    for folder in (GROUPS / MANAGER, GROUPS / MANAGER / "app.slice", GROUPS / MANAGER / "app.slice/checks.scope"):
        for path in (folder, *(folder / f"cgroup.{name}" for name in ("procs", "threads", "subtree_control"))):
            os.chown(path, 1001, 1001)


def run_checks(who: str, uid: int, leaf: str) -> None:
    """As that user, in that leaf; meanwhile reap orphans, as an init does."""
    pid = os.fork()
    if pid == 0:
        (GROUPS / leaf / "cgroup.procs").write_text("0")
        os.setgroups([])
        os.setresgid(uid, uid, uid)
        os.setresuid(uid, uid, uid)
        os.execve("/usr/bin/python3", ["python3", "/checks.py", who], {"PATH": "/usr/bin", "HOME": "/tmp"})
    while os.wait()[0] != pid:
        pass


def main() -> None:
    """Set up, check as each caller, power off whatever happened."""
    leave_first_root()
    mount_all()
    for target, path in ((0, "/dev/null"), (1, "/dev/ttyS1"), (2, "/dev/console")):
        os.dup2(os.open(path, os.O_RDWR | os.O_NOCTTY), target)
    try:
        lay_out()
        for who, uid, leaf in CALLERS:
            run_checks(who, uid, leaf)
    except BaseException:  # noqa: BLE001 -- the console is the only place to say it
        traceback.print_exc()
    os.sync()
    libc.reboot(POWER_OFF)


main()
