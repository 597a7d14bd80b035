"""Starts bubblewrap for a caller who is root. Runs as a script, with the standard library alone.

Reads one marshalled order from standard input: ``uid``, ``stage`` (what the sandbox's root is made of), ``mapped``,
``argv``. In a private mount namespace it binds every source below a staging folder, because the throw-away user cannot
pass through folders such as /root; gives a workspace to that user by an id-mapped mount; leaves root for good;
and becomes bubblewrap. So no program is ever a child of a process that is root on the host.
"""

from __future__ import annotations

import ctypes
import marshal
import os
import struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windtunnel.sandbox.inside import kernel
    from windtunnel.sandbox.inside.kernel import Message
else:
    import kernel

OPEN_TREE, MOVE_MOUNT, MOUNT_SETATTR = 428, 429, 442
STAGE = "/tmp"
libc, call = kernel.libc, kernel.call


def mapped_namespace(inside: tuple[int, int], outside: tuple[int, int]) -> int:
    """A user namespace that maps the workspace's owner to the throw-away user."""
    ready_read, ready_write = os.pipe()
    done_read, done_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        call(libc.unshare(kernel.NEWUSER), "unshare")
        os.write(ready_write, b"1")
        os.close(done_write)
        os.read(done_read, 1)
        os._exit(0)
    os.read(ready_read, 1)
    for name, (fs_id, host_id) in zip(("uid_map", "gid_map"), zip(inside, outside, strict=True), strict=True):
        kernel.write(f"/proc/{pid}/{name}", b"%d %d 1" % (fs_id, host_id))
    namespace = os.open(f"/proc/{pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
    for descriptor in (done_write, done_read, ready_read, ready_write):
        os.close(descriptor)
    os.waitpid(pid, 0)
    return namespace


def bind_mapped(source: int, target: str, *, uid: int) -> None:
    """Bind with the owner's ids shown as the throw-away user's."""
    owner = os.fstat(source)
    namespace = mapped_namespace((owner.st_uid, owner.st_gid), (uid, uid))
    tree = call(libc.syscall(OPEN_TREE, source, b"", 0x1 | 0x80000 | 0x1000), "open_tree")
    attributes = struct.pack("QQQQ", 0x100000, 0, 0, namespace)
    call(libc.syscall(MOUNT_SETATTR, tree, b"", 0x1000, attributes, ctypes.c_size_t(32)), "idmap")
    call(libc.syscall(MOVE_MOUNT, tree, b"", -100, target.encode(), 0x4), target)
    os.close(tree)
    os.close(namespace)


def stage(order: Message) -> None:
    """Bind every source where the throw-away user can reach it; the staged paths by name."""
    call(libc.unshare(kernel.NEWNS), "unshare")
    kernel.mount(None, b"/", None, kernel.MS_REC | kernel.MS_PRIVATE)
    sources = {name: os.open(path, os.O_PATH | os.O_CLOEXEC) for name, path in order["stage"].items()}
    kernel.mount(b"tmpfs", STAGE.encode(), b"tmpfs", 0, b"mode=755,size=1m")
    for name, source in sources.items():
        target = f"{STAGE}/{name}"
        if os.path.isdir(f"/proc/self/fd/{source}"):
            os.mkdir(target, 0o755)
        else:
            os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
        if name == order["mapped"]:
            bind_mapped(source, target, uid=order["uid"])
        else:
            kernel.mount(b"/proc/self/fd/%d" % source, target.encode(), None, kernel.MS_BIND | kernel.MS_REC)
        os.close(source)


def main() -> None:
    """Stage, leave root, become bubblewrap."""
    with open(0, "rb", closefd=False) as file:
        order = marshal.loads(file.read())
    stage(order)
    uid = order["uid"]
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    null = os.open("/dev/null", os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    libc.prctl(kernel.PR_SET_PDEATHSIG, kernel.SIGKILL, 0, 0, 0)
    os.execv(order["argv"][0], order["argv"])


if __name__ == "__main__":
    main()
