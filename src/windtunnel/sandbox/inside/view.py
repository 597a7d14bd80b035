"""What a program of the process level sees: its own mounts, its files, its loopback.

What holds: everything writable lies on one file system of limited size that nobody else sees. What does not hold:
the language's files are the host's own, bound read-only, so their names and versions can be learnt.
"""

from __future__ import annotations

import _socket
import fcntl
import os
import stat
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windtunnel.sandbox.inside import kernel
    from windtunnel.sandbox.inside.kernel import Message
else:
    import kernel

FOLDERS = ("/tmp", "/dev/shm", "/sandbox")
_PRIVATE = kernel.MS_NOSUID | kernel.MS_NODEV


def build(order: Message) -> tuple[list[int], bytes]:
    """Fresh /proc, one size-limited file system for all that is writable, own terminals, own loopback.

    Returns descriptors of the private folders, and with a workspace of the layer that holds its changes; then what
    to tell the supervisor of it.
    """
    kernel.write("/proc/self/oom_score_adj", b"500")
    map_ids(order["uid"])
    bound_kernel_objects()
    kernel.libc.sethostname(b"sandbox", 7)
    kept = [(path, os.open(path, os.O_PATH | os.O_CLOEXEC)) for path in order["kept"]]
    upper, told = mount_writable(order)
    kernel.mount(b"proc", b"/proc", b"proc", _PRIVATE | kernel.MS_NOEXEC | kernel.MS_RDONLY)
    kernel.mount(b"devpts", b"/dev/pts", b"devpts", kernel.MS_NOSUID | kernel.MS_NOEXEC,
                 b"newinstance,ptmxmode=0666,mode=620")
    for path, descriptor in kept:
        bind_again(path, descriptor)
    if order["alias"] and not os.path.lexists(order["alias"]):
        os.makedirs(os.path.dirname(order["alias"]), exist_ok=True)
        os.symlink("/workspace", order["alias"])
    if order["own_network"]:
        loopback_up()
    return [os.open(path, os.O_PATH | os.O_CLOEXEC) for path in FOLDERS] + upper, told


def mount_writable(order: Message) -> tuple[list[int], bytes]:
    """One file system below every writable folder; the changed layer of a workspace, if there is one, and its kind."""
    kernel.mount(b"tmpfs", b"/run", b"tmpfs", _PRIVATE, size_options(order) + b",mode=755")
    for name, target, mode in (("t", b"/tmp", 0o1777), ("m", b"/dev/shm", 0o1777), ("s", b"/sandbox", 0o755)):
        os.mkdir("/run/" + name)
        os.chmod("/run/" + name, mode)
        kernel.mount(b"/run/" + name.encode(), target, None, kernel.MS_BIND)
    upper, told = [], b""
    if order.get("workspace"):
        told = mount_workspace()
        upper.append(os.open("/run/upper", os.O_PATH | os.O_CLOEXEC))
    kernel.call(kernel.libc.umount2(b"/run", 2), "/run")
    return upper, told


def mount_workspace() -> bytes:
    """The workspace copy-on-write, or a copy of it where the kernel has no overlay for us; which of the two."""
    for name in ("upper", "work"):
        os.mkdir("/run/" + name)
    options = b"lowerdir=/workspace,upperdir=/run/upper,workdir=/run/work,userxattr"
    try:
        kernel.mount(b"overlay", b"/workspace", b"overlay", _PRIVATE | kernel.MS_NOATIME, options)
    except OSError:
        copy("/workspace", "/run/upper")
        kernel.mount(b"/run/upper", b"/workspace", None, kernel.MS_BIND)
        return b"copy"
    return b"overlay"


def copy(source: str, target: str) -> None:
    """Files, folders and links with their modes and times; nothing else can be in a copy."""
    for entry in os.scandir(source):
        place = f"{target}/{entry.name}"
        if entry.is_symlink():
            os.symlink(os.readlink(entry.path), place)
        elif entry.is_dir():
            os.mkdir(place)
            copy(entry.path, place)
        elif entry.is_file():
            copy_file(entry.path, place)
        else:
            continue
        info = entry.stat(follow_symlinks=False)
        if not entry.is_symlink():
            os.chmod(place, info.st_mode & 0o777)
        os.utime(place, ns=(info.st_atime_ns, info.st_mtime_ns), follow_symlinks=False)


def copy_file(source: str, target: str) -> None:
    """One file's content."""
    with open(source, "rb") as old, open(target, "xb") as new:
        while os.sendfile(new.fileno(), old.fileno(), None, 1 << 24):
            pass


def map_ids(uid: int) -> None:
    """Map one unprivileged id inside to the stem's own."""
    kernel.write("/proc/self/setgroups", b"deny")
    kernel.write("/proc/self/uid_map", b"%d 0 1" % uid)
    kernel.write("/proc/self/gid_map", b"%d 0 1" % uid)


def bound_kernel_objects() -> None:
    """Keep per-user kernel objects of this sandbox from exhausting its owner's; no nested user namespaces."""
    for name, most in (("user_namespaces", 0), ("inotify_instances", 16), ("inotify_watches", 8192)):
        try:
            kernel.write("/proc/sys/user/max_" + name, b"%d" % most)
        except OSError:
            continue


def loopback_up() -> None:
    """Bring up the sandbox's own loopback."""
    sock = _socket.socket(_socket.AF_INET, _socket.SOCK_DGRAM | _socket.SOCK_CLOEXEC)
    fcntl.ioctl(sock, 0x8914, struct.pack("16sH14x", b"lo", 0x1 | 0x40))
    sock.close()


def size_options(order: Message) -> bytes:
    """The quota of the one private file system behind every writable folder."""
    return b"size=%d,nr_inodes=%d" % (order["disk"], order["inodes"])


def bind_again(path: str, descriptor: int) -> None:
    """Show again what the private /tmp covered: a toolchain may live below the host's."""
    if os.path.isdir(f"/proc/self/fd/{descriptor}"):
        os.makedirs(path, exist_ok=True)
    else:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o644))
    kernel.mount(b"/proc/self/fd/%d" % descriptor, path.encode(), None, kernel.MS_BIND)
    os.close(descriptor)


def place(request: Message, order: Message) -> None:
    """Put the files below /sandbox, set the quota and make it read-only unless it was asked to be writable."""
    if size_options(request) != size_options(order):
        kernel.mount(None, b"/sandbox", None, kernel.MS_REMOUNT | _PRIVATE, size_options(request))
    made = {"/sandbox"}
    for name, data, mode in request["files"]:
        path = "/sandbox/" + name
        folder = path.rpartition("/")[0]
        if folder not in made:
            os.makedirs(folder, 0o755, exist_ok=True)
            made.add(folder)
        if path == order["pipe"]:  # whichever the interpreter opens, it finds the program
            write_new(path + "~", data, mode=mode)
            os.rename(path + "~", path)
        else:
            write_new(path, data, mode=mode)
    for path, data in request["settings"]:
        write_new("/dev/shm/.setting", data, mode=0o444)
        kernel.mount(b"/dev/shm/.setting", path.encode(), None, kernel.MS_BIND)
        os.unlink("/dev/shm/.setting")
    if not request["writable"]:
        kernel.mount(None, b"/sandbox", None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | _PRIVATE)
    for name in request["folders"]:
        os.mkdir("/tmp/" + name)
    for name, data, mode in request["overlay"]:
        lay_over("/workspace/" + name, data, mode=mode)


def lay_over(path: str, data: bytes | None, *, mode: int | None) -> None:
    """Put one file, link or folder in its place, or take it away; what was there is replaced, never followed."""
    old = os.lstat(path) if os.path.lexists(path) else None
    kind = stat.S_IFMT(mode or 0)
    if old is not None and not kind == stat.S_IFMT(old.st_mode) == stat.S_IFDIR:
        take_away(path)
    if data is None:
        return
    os.makedirs(path if kind == stat.S_IFDIR else os.path.dirname(path), exist_ok=True)
    if kind == stat.S_IFLNK:
        os.symlink(data, os.fsencode(path))
        return
    if kind != stat.S_IFDIR:
        write_new(path, data, mode=0o600)
    kept = old.st_mode & 0o777 if old is not None and stat.S_ISREG(old.st_mode) else 0o644
    wanted = kept if mode is None else mode & 0o7777
    os.chmod(path, wanted | 0o700 if kind == stat.S_IFDIR else wanted)


def take_away(path: str) -> None:
    """A file or a link, or a folder with all that is in it."""
    if os.path.islink(path) or not os.path.isdir(path):
        os.unlink(path)
        return
    for name in os.listdir(path):
        take_away(f"{path}/{name}")
    os.rmdir(path)


def write_new(path: str, data: bytes, *, mode: int) -> None:
    """Write a file that must not exist yet, not even as a link."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest):]
    os.close(descriptor)


def listeners(request: Message) -> list[int]:
    """Listening sockets inside the sandbox, to be served by the supervisor outside."""
    made = []
    for address, port in request["listen"]:
        sock = _socket.socket(_socket.AF_INET, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
        sock.setsockopt(_socket.SOL_SOCKET, _socket.SO_REUSEADDR, 1)
        sock.bind((address, port))
        sock.listen(64)
        made.append(sock.detach())
    return made
