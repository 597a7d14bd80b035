"""What a program in a virtual machine sees: the toolchain's disk read-only, its private folders, its project.

What holds: everything writable lies on one file system of limited size; the disks are read-only on the host's side
too, so nothing here could change them. What does not hold: the guest's own memory is all that lies behind the limits.
"""

from __future__ import annotations

import fcntl
import os
import stat

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windtunnel.sandbox.inside import kernel, view
    from windtunnel.sandbox.inside.kernel import Message
else:
    import kernel
    import view

NEW, LOWER, PROJECT = "/new", "/lower", "/project"
FLUSH_BUFFERS = 0x1261
PIVOT_ROOT = 155
PRIVATE = kernel.MS_NOSUID | kernel.MS_NODEV
DEVICES = (("null", 1, 3), ("zero", 1, 5), ("full", 1, 7), ("random", 1, 8), ("urandom", 1, 9), ("tty", 5, 0))
LINKS = (("ptmx", "pts/ptmx"), ("fd", "/proc/self/fd"), ("stdin", "/proc/self/fd/0"),
         ("stdout", "/proc/self/fd/1"), ("stderr", "/proc/self/fd/2"))
PLACES = (("t", "/tmp", 0o1777), ("m", "/dev/shm", 0o1777), ("s", "/sandbox", 0o755))


def show_project() -> None:
    """Mount the project's disk; what the snapshot remembers of the empty one is forgotten first."""
    descriptor = os.open("/dev/vdb", os.O_RDONLY | os.O_CLOEXEC)
    fcntl.ioctl(descriptor, FLUSH_BUFFERS)
    os.close(descriptor)
    os.makedirs(PROJECT, exist_ok=True)
    kernel.mount(b"/dev/vdb", PROJECT.encode(), b"erofs", kernel.MS_RDONLY | PRIVATE)


def build(order: Message) -> list[int]:
    """The program's file tree around this process; descriptors of its private folders, then of a project's layer."""
    kernel.mount(None, b"/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    mount_root(order["link"])
    mount_devices()
    folders = mount_writable(order)
    enter()
    kernel.mount(b"proc", b"/proc", b"proc", PRIVATE | kernel.MS_NOEXEC | kernel.MS_RDONLY)
    kernel.mount(b"devpts", b"/dev/pts", b"devpts", kernel.MS_NOSUID | kernel.MS_NOEXEC,
                 b"newinstance,ptmxmode=0666,mode=620")
    kernel.mount(None, b"/dev", None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | kernel.MS_NOSUID)
    kernel.libc.sethostname(b"sandbox", 7)
    return folders


def mount_root(link: str | None) -> None:
    """The toolchain's disk; with a link to make in it, below an empty layer that holds the link."""
    os.makedirs(NEW, exist_ok=True)
    if link is None or os.path.lexists(LOWER + link):
        kernel.mount(LOWER.encode(), NEW.encode(), None, kernel.MS_BIND)
    else:
        os.makedirs("/linked", exist_ok=True)
        kernel.mount(b"tmpfs", b"/linked", b"tmpfs", PRIVATE, b"size=1m,mode=755")
        for name in ("upper", "work"):
            os.mkdir(f"/linked/{name}")
        options = b"lowerdir=/lower,upperdir=/linked/upper,workdir=/linked/work"
        kernel.mount(b"overlay", NEW.encode(), b"overlay", PRIVATE, options)
        os.makedirs(NEW + os.path.dirname(link), exist_ok=True)
        os.symlink("/workspace", NEW + link)
    kernel.mount(None, NEW.encode(), None, kernel.MS_REMOUNT | kernel.MS_BIND | kernel.MS_RDONLY | PRIVATE)


def mount_devices() -> None:
    """The few devices that every program expects, and none of the machine's own."""
    kernel.mount(b"tmpfs", f"{NEW}/dev".encode(), b"tmpfs", kernel.MS_NOSUID | kernel.MS_NOEXEC, b"size=64k,mode=755")
    for name, major, minor in DEVICES:
        os.mknod(f"{NEW}/dev/{name}", 0o666 | stat.S_IFCHR, os.makedev(major, minor))
        os.chmod(f"{NEW}/dev/{name}", 0o666)
    for name, target in LINKS:
        os.symlink(target, f"{NEW}/dev/{name}")
    for name in ("pts", "shm"):
        os.mkdir(f"{NEW}/dev/{name}")


def mount_writable(order: Message) -> list[int]:
    """One file system of the allowed size below every writable folder."""
    kept = [(path, os.open(NEW + path, os.O_PATH | os.O_CLOEXEC)) for path in order["kept"]]
    store = f"{NEW}/run"
    kernel.mount(b"tmpfs", store.encode(), b"tmpfs", PRIVATE, view.size_options(order) + b",mode=755")
    for name, target, mode in PLACES:
        made(f"{store}/{name}", order, mode=mode)
        kernel.mount(f"{store}/{name}".encode(), (NEW + target).encode(), None, kernel.MS_BIND)
    folders = [os.open(NEW + target, os.O_PATH | os.O_CLOEXEC) for _, target, _ in PLACES]
    if order["workspace"]:
        for name in ("upper", "work"):
            made(f"{store}/{name}", order, mode=0o755)
        options = f"lowerdir={PROJECT},upperdir={store}/upper,workdir={store}/work"
        kernel.mount(b"overlay", f"{NEW}/workspace".encode(), b"overlay", PRIVATE | kernel.MS_NOATIME, options.encode())
        folders.append(os.open(f"{store}/upper", os.O_PATH | os.O_CLOEXEC))
    kernel.call(kernel.libc.umount2(store.encode(), 2), store)
    for path, descriptor in kept:
        view.bind_again(NEW + path, descriptor)
    return folders


def made(path: str, order: Message, *, mode: int) -> None:
    """A folder of the program's own."""
    os.mkdir(path)
    os.chmod(path, mode)
    os.chown(path, order["uid"], order["uid"])


def enter() -> None:
    """Make the new tree the only one."""
    os.chdir(NEW)
    kernel.call(kernel.libc.syscall(PIVOT_ROOT, b".", b"."), "pivot_root")
    kernel.call(kernel.libc.umount2(b".", 2), "the old root")
    os.chdir("/")


def place(request: Message, order: Message) -> None:
    """The program's files, as its own user makes them; the alias of a project below a private folder."""
    libc = kernel.libc
    libc.setfsgid(order["uid"])
    libc.setfsuid(order["uid"])
    if order["alias"] and not os.path.lexists(order["alias"]):
        os.makedirs(os.path.dirname(order["alias"]), exist_ok=True)
        os.symlink("/workspace", order["alias"])
    view.place(request, order)
    libc.setfsuid(0)
    libc.setfsgid(0)
