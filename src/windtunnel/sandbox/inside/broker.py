"""Calls that init does in a program's place at the restricted level, where Landlock does not look at them.

What holds: it acts only on what lies below the program's own writable folders, by descriptor. What does not hold:
it serves one call at a time, so a program that makes many waits for itself.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import stat
import struct
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windtunnel.sandbox.inside import kernel
    from windtunnel.sandbox.inside.kernel import Message
else:
    import kernel

SYS_OPENAT2 = 437
NOTICE = struct.Struct("=QIIiIQ6Q")
NOTICE_RECEIVE, NOTICE_SEND, NOTICE_VALID = 0xC0502100, 0xC0182101, 0x40082102
RESOLVE_BENEATH, RESOLVE_NO_MAGIC_LINKS = 0x08, 0x02
AT_FDCWD, AT_SYMLINK_NOFOLLOW, AT_EMPTY_PATH = -100, 0x100, 0x1000
AGAIN = 64
UTIME_NOW, UTIME_OMIT = 0x3FFFFFFF, 0x3FFFFFFE


class Broker:
    """Does what Landlock does not look at (modes, times, truncation by name), below the writable folders alone.

    The name is copied once and resolved by us beneath the private folder, so rewriting it changes nothing.
    """

    def __init__(self, listener: int, request: Message) -> None:
        """Serve the calls of one filter."""
        self.listener = listener
        self.names = request["brokered"]
        self.top = os.fsencode(request["folder"])
        self.folder = os.open(self.top, os.O_PATH | os.O_CLOEXEC)
        self.writable = tuple(os.fsencode(path) + b"/" for path in request["write"])

    def answer(self) -> None:
        """Serve one call."""
        buffer = bytearray(NOTICE.size)
        try:
            fcntl.ioctl(self.listener, NOTICE_RECEIVE, buffer)
        except OSError:
            return  # the caller is gone
        identity, pid, _, number, _, _, *arguments = NOTICE.unpack(buffer)
        try:
            self.serve(self.names[number], pid, arguments=arguments, identity=identity)
            failure = 0
        except OSError as error:
            failure = error.errno or errno.EPERM
        except (OverflowError, ValueError):
            failure = errno.EFAULT
        try:
            fcntl.ioctl(self.listener, NOTICE_SEND, struct.pack("=QqiI", identity, 0, -failure, 0))
        except OSError:
            pass

    def serve(self, name: str, pid: int, *, arguments: list[int], identity: int) -> None:
        """Open what is meant, make sure that it is the program's own, and act on it."""
        signed = [ctypes.c_int32(argument & 0xFFFFFFFF).value for argument in arguments]
        if name == "fchmod":
            descriptor, rest = self.opened(pid, signed[0]), arguments[1:]
        elif name in ("chmod", "truncate"):
            descriptor, rest = self.named(pid, AT_FDCWD, pointer=arguments[0], flags=0), arguments[1:]
        else:
            flags = signed[3] if name != "fchmodat" else 0
            descriptor, rest = self.named(pid, signed[0], pointer=arguments[1], flags=flags), arguments[2:]
        try:
            times = memory(pid, rest[0], length=32) if name == "utimensat" and rest[0] else None
            fcntl.ioctl(self.listener, NOTICE_VALID, struct.pack("=Q", identity))
            self.act(name, descriptor, argument=rest[0], times=times)
        finally:
            os.close(descriptor)

    def act(self, name: str, descriptor: int, *, argument: int, times: bytes | None) -> None:
        """Do it by descriptor, so that nothing can be put in its place."""
        path = f"/proc/self/fd/{descriptor}"
        info = os.fstat(descriptor)
        if not os.readlink(os.fsencode(path)).startswith(self.writable):
            raise PermissionError(errno.EPERM, "outside")
        if stat.S_ISLNK(info.st_mode):
            raise OSError(errno.EOPNOTSUPP, "a link")
        if name == "truncate":
            os.truncate(path, ctypes.c_int64(argument).value)
        elif name == "utimensat":
            os.utime(path, ns=stamps(times, info))
        else:
            os.chmod(path, argument & 0o7777)

    def opened(self, pid: int, number: int) -> int:
        """A descriptor of the program's, as one of ours."""
        try:
            return os.open(f"/proc/{pid}/fd/{number}", os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            raise OSError(errno.EBADF, "closed") from None

    def named(self, pid: int, base: int, *, pointer: int, flags: int) -> int:
        """What a name leads to, without leaving the private folder on the way."""
        name = memory(pid, pointer, length=4096).partition(b"\0")[0] if pointer else b""
        if not name and (not pointer or flags & AT_EMPTY_PATH):
            return self.opened(pid, base)
        if not name.startswith(b"/"):
            start = os.readlink(os.fsencode(f"/proc/{pid}/cwd" if base == AT_FDCWD else f"/proc/{pid}/fd/{base}"))
            name = start + b"/" + name if name else b""
        if not name:
            raise FileNotFoundError(errno.ENOENT, "no name")
        if not name.startswith(self.top + b"/"):
            raise PermissionError(errno.EPERM, "outside")
        follow = os.O_NOFOLLOW if flags & AT_SYMLINK_NOFOLLOW else 0
        how = struct.pack("=QQQ", os.O_PATH | os.O_CLOEXEC | follow, 0, RESOLVE_BENEATH | RESOLVE_NO_MAGIC_LINKS)
        relative = name[len(self.top):].lstrip(b"/") or b"."
        for _ in range(AGAIN):
            try:
                found = kernel.libc.syscall(SYS_OPENAT2, self.folder, relative, how, ctypes.c_size_t(24))
                return kernel.call(found, "openat2")
            except BlockingIOError:  # a rename anywhere on the machine made a step upward doubtful; ask once more
                continue
        raise BlockingIOError(errno.EAGAIN, "openat2")


def memory(pid: int, pointer: int, *, length: int) -> bytes:
    """Bytes of a waiting program; fewer where its memory ends."""
    descriptor = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(descriptor, length, pointer)
    finally:
        os.close(descriptor)


def stamps(times: bytes | None, info: os.stat_result) -> tuple[int, int]:
    """Access and change time in nanoseconds, from what utimensat was given."""
    now = time.time_ns()
    if times is None:
        return now, now
    seconds = struct.unpack("=4q", times)
    made = []
    for old, (whole, part) in zip((info.st_atime_ns, info.st_mtime_ns), (seconds[:2], seconds[2:]), strict=True):
        made.append(now if part == UTIME_NOW else old if part == UTIME_OMIT else whole * 10**9 + part)
    return made[0], made[1]
