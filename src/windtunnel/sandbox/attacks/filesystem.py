"""Section F: the file systems of the host. Files are opened for writing and never written, but for the suite's own."""

from __future__ import annotations

import hashlib
import os
import tempfile
from dataclasses import replace
from pathlib import Path

from windtunnel.core.limits import MIB
from windtunnel.core.result import ExecutionResult
from windtunnel.sandbox.attacks import processes
from windtunnel.sandbox.attacks.base import USUAL, Attack, Values, Verdict, held, not_held
from windtunnel.sandbox.attacks.host import Host
from windtunnel.sandbox.attacks.judges import astray, both, collected, link_target, look, nothing_done, refusals, seen
from windtunnel.sandbox.attacks.posture import Posture

_DROP = """
def append():
    with open({drop} + "/kept", "a") as file:
        file.write("more")
attempt("append", append)
attempt("create", lambda: os.close(os.open({drop} + "/new", os.O_CREAT | os.O_EXCL | os.O_WRONLY)))
attempt("rename", lambda: os.rename({drop} + "/moved", {drop} + "/away"))
attempt("unlink", lambda: os.unlink({drop} + "/doomed"))
attempt("symlink", lambda: os.symlink("/", {drop} + "/link"))
attempt("chmod", lambda: os.chmod({drop} + "/kept", 0o777))
finish()
"""

_LINK = """
for folder in {os.path.dirname({path}), TMP, "/tmp", "/var/tmp", "/dev/shm", os.getcwd()}:
    attempt(folder, lambda: os.link({path}, os.path.join(folder, TOKEN + "-link")))
finish()
"""

_ODD_FILES = """
os.makedirs(OUT, exist_ok=True)
os.chdir(OUT)
os.mkfifo("fifo")
attempt("socket", lambda: socket.socket(socket.AF_UNIX).bind("socket"))
with open("sparse", "wb") as file:
    attempt("sparse", lambda: file.truncate(2 ** 40))
os.symlink("loop", "loop")
for name in (b"new\\nline", b"\\xff\\xfe", b"-rf", b"\\x1b[2J", "\u202e".encode(), b"a" * 255):
    with open(name, "w") as file:
        file.write("x")
os.mkdir("closed", 0)
for _ in range(400):
    os.mkdir("deep")
    os.chdir("deep")
finish()
"""

_SWAP = """
os.makedirs(OUT, exist_ok=True)
with open(OUT + "/plain", "w") as file:
    file.write("x")
os.symlink({path}, OUT + "/other")
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        null = os.open("/dev/null", os.O_RDWR)
        for number in range(3):
            os.dup2(null, number)
        deadline = time.monotonic() + 6
        while time.monotonic() < deadline:
            libc.renameat2(-100, (OUT + "/plain").encode(), -100, (OUT + "/other").encode(), 2)
            time.sleep(0.0005)
    os._exit(0)
finish()
"""

# A new mount namespace first: where no wall stands, the act then changes nothing for the rest of the machine.
_OWN_MOUNTS = """
def own_mounts():
    checked(libc.unshare(0x20000))
    checked(libc.mount(None, b"/", None, 0x4000 | 0x40000, None))
try:
    own_mounts()
except OSError as error:
    pass
"""

_REMOUNT = _OWN_MOUNTS + """
for path in ("/", "/usr", "/etc", "/proc", "/sandbox"):
    if os.path.isdir(path):
        attempt(path, lambda: checked(libc.mount(None, path.encode(), None, 0x20 | 0x1000 | 0x200000, None)))
hold()
"""

_MOUNT = _OWN_MOUNTS + """
folder = TMP + "/" + TOKEN + "-mount"
os.mkdir(folder)
attempt("mount", lambda: checked(libc.mount(TOKEN.encode(), folder.encode(), b"tmpfs", 0, None)))
attempt("bind", lambda: checked(libc.mount(b"/usr", folder.encode(), None, 0x1000, None)))
attempt("fsopen", lambda: call("fsopen", ctypes.c_char_p(b"tmpfs"), 0))
attempt("open_tree", lambda: call("open_tree", -100, ctypes.c_char_p(b"/usr"), 1))
attempt("umount", lambda: checked(libc.umount2(folder.encode(), 2)))
hold()
"""

_DEVICES = """
kept = []
for name in ("kvm", "fuse", "net/tun", "vsock", "vhost-vsock", "loop-control", "mem", "userfaultfd", "uinput"):
    attempt(name, lambda: kept.append(os.open("/dev/" + name, os.O_RDWR)))
for entry in listed("/dev") or ("vda", "sda", "nvme0n1", "xvda", "dm-0", "loop0"):
    if entry.startswith(("vd", "sd", "nvme", "xvd", "dm-", "loop0")):
        attempt(entry, lambda: kept.append(os.open("/dev/" + entry, os.O_RDONLY)))
def made():
    path = TMP + "/" + TOKEN + "-node"
    os.mknod(path, 0o600 | 0o060000, os.makedev(7, 0))
    try:
        kept.append(os.open(path, os.O_RDONLY))
    finally:
        os.unlink(path)
attempt("mknod", made)
hold()
"""

_OPEN_FOR_WRITING = """
for path in {paths}.split("|"):
    if os.path.isdir(path):
        attempt(path, lambda: os.close(os.open(path, os.O_TMPFILE | os.O_WRONLY)))
    elif os.path.lexists(path):
        attempt(path, lambda: os.close(os.open(path, os.O_WRONLY)))
finish()
"""

_CGROUPS = """
names = ("release_agent", "cgroup.procs", "tasks", "memory.limit_in_bytes", "memory.max", "pids.max", "cpu.max")
for folder, folders, files in os.walk("/sys/fs/cgroup"):
    for name in names:
        if name in files:
            attempt(name, lambda: os.close(os.open(os.path.join(folder, name), os.O_WRONLY)))
    folders[:] = folders[:20] if folder.count("/") < 6 else []
finish()
"""

_RUNTIME = """
paths = [os.__file__, os.path.realpath(sys.executable), "/proc/self/exe", "/proc/1/exe",
         "/proc/" + str(os.getppid()) + "/exe", os.path.dirname(os.__file__), "/run/windtunnel/gate"]
for path in paths:
    flags = os.O_TMPFILE | os.O_WRONLY if os.path.isdir(path) else os.O_WRONLY
    attempt(path, lambda: os.close(os.open(path, flags)))
finish()
"""

_HOLD = "hold()\n"

_HOST_FILES = ("/etc", "/etc/passwd", "/etc/hosts", "/etc/ld.so.cache", "/usr", "/usr/bin", "/usr/lib", "/usr/bin/env",
               "/bin", "/lib", "/lib64", "/boot", "/")
_KERNEL_SWITCHES = ("/proc/sys/kernel/core_pattern", "/proc/sysrq-trigger", "/proc/sys/fs/binfmt_misc/register",
                    "/proc/sys/vm/drop_caches", "/proc/sys/kernel/modprobe", "/proc/sys/kernel/hostname",
                    "/proc/sys/vm/overcommit_memory", "/sys/kernel/uevent_helper", "/sys/power/state",
                    "/proc/1/oom_score_adj", "/sys/kernel/mm/transparent_hugepage/enabled")
_SMALL = replace(USUAL, disk_bytes=16 * MIB)


def _drop(host: Host) -> Values:
    folder = host.folder_in(str(Path(host.folder).parent), mode=0o1777)
    for name in ("kept", "moved", "doomed"):
        host.canary(name, mode=0o666, folder=folder)
    host.planted = (folder, _fingerprint(folder))
    return {"drop": folder}


def _fingerprint(folder: str) -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(folder).iterdir()):
        found = path.lstat()
        digest.update(f"{path.name} {found.st_mode:o} {found.st_size}\n".encode())
        digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()


def _drop_unchanged(host: Host, result: ExecutionResult) -> Verdict:
    folder, before = host.planted
    if _fingerprint(folder) != before:
        return not_held("a world-writable folder of the host was changed")
    return astray(host, result) or held(f"the host's folder is unchanged: {refusals(host, result)}")


def _linkable(host: Host) -> Values:
    Path(host.folder).chmod(0o1777)
    # Where the program tries to make its link.
    for folder in {tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"}:  # noqa: S108
        host.remove_afterwards(f"{folder}/{host.token}-link")
    return {"path": host.canary("linked", mode=0o666).path}


def _no_link(host: Host, result: ExecutionResult) -> Verdict:
    links = Path(host.folder, "linked").stat().st_nlink
    if links != 1:
        return not_held(f"the host's file has {links} names")
    return astray(host, result) or held(f"the host's file has one name: {refusals(host, result)}")


def _dead_before_collected(host: Host, result: ExecutionResult) -> Verdict:
    if alive := processes.marked(host.token):
        return not_held(f"{len(alive)} process(es) of the run still alive after it was read back")
    return collected(host, result)


def _mount_folder(host: Host) -> Values:
    host.remove_afterwards(f"{tempfile.gettempdir()}/{host.token}-mount")
    return {}


def _read_only_root(posture: Posture) -> str | None:
    writable = [mount.point for mount in posture.mounts if mount.host_writable]
    return f"writable host mounts: {', '.join(writable[:5])}" if writable else None


def _no_new_mount(host: Host, result: ExecutionResult) -> Verdict:
    def check(posture: Posture) -> str | None:
        added = [mount.point for mount in posture.mounts if mount.source == host.token]
        return f"mounted at {added[0]}" if added else None

    return seen(check)(host, result)


def _no_device(posture: Posture) -> str | None:
    return f"open devices: {', '.join(posture.devices)}" if posture.devices else None


def _no_new_privileges(posture: Posture) -> str | None:
    return None if posture.status.get("NoNewPrivs") == "1" else "NoNewPrivs is 0: setuid programs raise privileges"


def _host_files(_host: Host) -> Values:
    return {"paths": "|".join(path for path in _HOST_FILES if os.path.lexists(path))}


def _kernel_switches(_host: Host) -> Values:
    return {"paths": "|".join(_KERNEL_SWITCHES)}


ATTACKS = (
    Attack(row="F01", title="writes, makes and renames in a world-writable host folder", severity="Esc", code=_DROP,
           prepare=_drop, judge=_drop_unchanged),
    Attack(row="F02", title="makes a hard link to a host file", severity="Leak", code=_LINK, prepare=_linkable,
           judge=_no_link),
    Attack(row="F04", title="leaves a pipe, a socket, 1 TiB of nothing and a 400-deep tree to be read back",
           severity="DoS", code=_ODD_FILES, prepare=link_target, judge=collected, build=True,
           limits=_SMALL),
    Attack(row="F05", title="swaps a file and a link while it is read back", severity="Esc", code=_SWAP,
           prepare=link_target, judge=_dead_before_collected, build=True,
           limits=_SMALL),
    Attack(row="F06", title="remounts its root writable", severity="Esc", code=_REMOUNT, watch=look,
           judge=both(nothing_done, seen(_read_only_root))),
    Attack(row="F07", title="mounts, by the old and the new calls", severity="Int", code=_MOUNT, watch=look,
           prepare=_mount_folder, judge=both(nothing_done, _no_new_mount)),
    Attack(row="F08", title="opens devices, and makes one", severity="Esc", code=_DEVICES, watch=look,
           judge=both(nothing_done, seen(_no_device))),
    Attack(row="F09", title="opens system files and folders for writing", severity="Int", code=_OPEN_FOR_WRITING,
           prepare=_host_files, judge=nothing_done),
    Attack(row="F10", title="opens the kernel's switches for writing", severity="Esc", code=_OPEN_FOR_WRITING,
           prepare=_kernel_switches, judge=nothing_done),
    Attack(row="F11", title="opens control group files for writing", severity="Esc", code=_CGROUPS,
           judge=nothing_done),
    Attack(row="F12", title="opens its own runtime for writing", severity="Esc", code=_RUNTIME,
           judge=nothing_done),
    Attack(row="F13", title="may gain privileges from setuid programs", severity="Int", code=_HOLD, watch=look,
           judge=seen(_no_new_privileges)),
)
