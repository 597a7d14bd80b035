"""Process 1 of a virtual machine: makes the guest ready, waits for one program, runs it, tells how it went.

Runs from the memory file system that the kernel starts with; the program never sees that one. Until the host speaks
nothing here holds a secret or a program, so a snapshot taken then can be restored any number of times: what must
differ between two of them, the random numbers and the clock, the host gives anew.

What holds: the program is an unprivileged user behind namespaces, a control group and the system-call filter, on a
kernel of its own, in a machine without any network device. What does not hold: whoever takes over this kernel can
say what they like about how the program ended; the host believes nothing of it that could hurt the host.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from windtunnel.sandbox.inside import guest_port, guest_run, kernel
else:
    import guest_port
    import guest_run
    import kernel

ADD_ENTROPY, RESEED = 0x40085203, 0x5207
FINIT_MODULE = 313
DEVICE_SECONDS = 20.0
MOUNTS = (
    ("proc", "/proc", ""), ("sysfs", "/sys", ""), ("devtmpfs", "/dev", ""),
    ("cgroup2", "/sys/fs/cgroup", "nsdelegate,memory_recursiveprot"),
)
GROUPS = "/sys/fs/cgroup"
SETTINGS = (
    ("kernel/printk", b"1 4 1 7"), ("kernel/dmesg_restrict", b"1"), ("kernel/kptr_restrict", b"2"),
    ("user/max_user_namespaces", b"0"), ("kernel/unprivileged_bpf_disabled", b"1"), ("vm/overcommit_memory", b"1"),
    ("kernel/hung_task_timeout_secs", b"0"),
)


def leave_first_root() -> None:
    """Nobody can pivot away from the kernel's very first root; a bind of it will do."""
    kernel.mount(b"/", b"/top", None, kernel.MS_BIND)
    os.chdir("/top")
    kernel.mount(b".", b"/", None, 8192)
    os.chroot(".")
    os.chdir("/")


def mount_all() -> None:
    """What the kernel shows of itself, to us alone."""
    for kind, target, data in MOUNTS:
        os.makedirs(target, exist_ok=True)
        kernel.mount(kind.encode(), target.encode(), kind.encode(), 0, data.encode())


def load_modules() -> None:
    """In the order of their names; one that is there already is no error."""
    for name in sorted(os.listdir("/modules")):
        descriptor = os.open(f"/modules/{name}", os.O_RDONLY | os.O_CLOEXEC)
        if kernel.libc.syscall(FINIT_MODULE, descriptor, b"", 0) < 0 and ctypes.get_errno() != 17:
            kernel.call(-1, name)
        os.close(descriptor)


def wait_for(path: str) -> None:
    """Until the kernel has found a device."""
    deadline = time.monotonic() + DEVICE_SECONDS
    while not os.path.exists(path):
        if time.monotonic() > deadline:
            raise FileNotFoundError(path)
        time.sleep(0.005)


def settle() -> None:
    """Kernel settings for a guest with one unprivileged program; what this kernel lacks is left out."""
    for name, value in SETTINGS:
        try:
            kernel.write(f"/proc/sys/{name}", value)
        except OSError:
            continue
    kernel.write(f"{GROUPS}/cgroup.subtree_control", b"+memory +pids +cpu")


def renew(payload: bytes) -> None:
    """Random numbers that no other machine of this snapshot has, and the time it is now."""
    seed, clock = payload[16:80], struct.unpack(">Q", payload[80:88])[0]
    time.clock_settime_ns(time.CLOCK_REALTIME, clock)
    descriptor = os.open("/dev/urandom", os.O_RDWR | os.O_CLOEXEC)
    fcntl.ioctl(descriptor, ADD_ENTROPY, struct.pack("=ii64s", 8 * len(seed), len(seed), seed))
    fcntl.ioctl(descriptor, RESEED)
    os.close(descriptor)


def serve(control: guest_port.Control, ports: dict[str, int]) -> None:
    """Answer the host until the one program has run; then wait to be switched off."""
    while True:
        kind, payload = control.receive()
        if kind == b"P":
            renew(payload)
            control.send(b"P", payload[:16])
        elif kind == b"W":
            guest_run.rehearse(payload)
            control.send(b"W", b"")
        elif kind == b"R":
            guest_run.run(control, ports, payload)


def main() -> None:
    """Get ready, say so, serve."""
    os.makedirs("/top", exist_ok=True)
    leave_first_root()
    mount_all()
    load_modules()
    wait_for("/dev/vda")
    wait_for("/dev/vdb")
    os.makedirs("/lower", exist_ok=True)
    kernel.mount(b"/dev/vda", b"/lower", b"erofs", kernel.MS_RDONLY | kernel.MS_NODEV | kernel.MS_NOSUID)
    settle()
    ports = guest_port.find(deadline=time.monotonic() + DEVICE_SECONDS)
    control = guest_port.Control(ports["control"])
    control.send(b"H", b"")
    try:
        serve(control, ports)
    except BaseException as error:
        control.send(b"X", f"{type(error).__name__}: {error}".encode("utf-8", "replace")[:4096])
        raise
