"""QEMU behind walls of its own: bubblewrap, no network, a minimal root, no root user, a control group.

A guest that takes over QEMU finds the machine's read-only files, four sockets that carry hostile input anyway, and a
system-call filter that lets it start nothing.
"""

from __future__ import annotations

import contextlib
import marshal
import os
import platform
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox import cgroups, handover, stems
from windtunnel.sandbox.handover import memory_file
from windtunnel.sandbox.identity import HostUser
from windtunnel.sandbox.remedies import remedy
from windtunnel.sandbox.root import Root, minimal_root
from windtunnel.sandbox.vm.arguments import PLACE
from windtunnel.spawn import handles, start
from windtunnel.spawn.supervise import kill

PROGRAM = "qemu-system-x86_64"
FIRMWARE = ("/usr/share/qemu", "/usr/share/seabios", "/usr/share/ipxe")
_STAGE = "/tmp"  # noqa: S108 -- inside a mount namespace of the launcher's own
_END_SECONDS = 5.0
SCRATCH_BYTES = 1 << 30
"""For what a disk of a caller's own, which is never written, is changed by its guest."""


def find_program() -> str:
    """QEMU on this host."""
    if platform.machine() != "x86_64":
        raise IsolationUnavailable(f"the vm level is for x86_64; this machine is {platform.machine()}")
    found = shutil.which(PROGRAM)
    if found is None:
        raise IsolationUnavailable(f"there is no {PROGRAM} here: apt-get install qemu-system-x86")
    return os.path.realpath(found)


def find_bubblewrap() -> str:
    """The newest at hand."""
    found = stems.candidates()
    if not found:
        raise IsolationUnavailable(remedy([]))
    return found[0]


def start_confined(
    program: str, arguments: Sequence[str], *, files: Mapping[str, Path], descriptors: Sequence[int], output: int,
    user: HostUser, group: cgroups.Group | None, kvm: bool = False,
) -> handles.Popen[bytes]:
    """Start QEMU with these files below ``PLACE``; it dies with us. The descriptors keep their numbers."""
    bubblewrap = find_bubblewrap()
    root = minimal_root([program, *FIRMWARE], host_network=False, certificates=False)
    binds = [*root.binds, *((str(path), f"{PLACE}/{name}") for name, path in files.items())]
    staged: dict[str, str] = {}
    if user.dropped:
        staged = {f"b{number}": source for number, (source, _) in enumerate(binds)}
        staged["bwrap"] = str(list(Path(bubblewrap).parents)[:3][-1])
        binds = [(f"{_STAGE}/{name}", inside) for name, (_, inside) in zip(staged, binds, strict=False)]
        bubblewrap = f"{_STAGE}/bwrap/{Path(bubblewrap).relative_to(staged['bwrap'])}"
    argv = [bubblewrap, *walls(root, binds, kvm=kvm), "--", program, *arguments]
    entrances = group.entrances() if group is not None else []
    order = memory_file(marshal.dumps({"uid": user.uid, "stage": staged, "mapped": None, "argv": argv}))
    try:
        return start([*handover.script("guest_start"), *map(str, entrances)], stdin=order, output=output, env={},
                     pass_fds=[*descriptors, *entrances])
    finally:
        for descriptor in (order, *entrances):
            os.close(descriptor)


def switch_off(guardian: handles.Popen[bytes], pidfd: int) -> None:
    """Kill QEMU, which its guardian then buries; the guardian itself where it has not started QEMU yet.

    Else QEMU's remains would be left to the host's process 1, which in many containers buries nobody.
    """
    if guardian.poll() is not None:
        return  # its number may be another's by now
    try:
        listed = Path(f"/proc/{guardian.pid}/task/{guardian.pid}/children").read_text()
        children = [int(word) for word in listed.split()]
    except OSError:
        children = []
    for child in children:
        with contextlib.suppress(OSError):
            os.kill(child, signal.SIGKILL)
    if not children:
        kill(pidfd)


def end(process: handles.Popen[bytes], pidfd: int) -> int:
    """Switch off, and return when the guardian is gone too; its exit code."""
    switch_off(process, pidfd)
    try:
        return process.wait(timeout=_END_SECONDS)
    except handles.TimeoutExpired:
        kill(pidfd)
        return process.wait()


def walls(root: Root, binds: Sequence[tuple[str, str]], *, kvm: bool) -> list[str]:
    """Bubblewrap's arguments for QEMU, as data."""
    made = ["--unshare-all", "--die-with-parent", "--new-session", "--as-pid-1", "--uid", "1000", "--gid", "1000",
            "--cap-drop", "ALL", "--clearenv", "--hostname", "machine"]
    for source, inside in binds:
        made += ["--ro-bind", source, inside]
    for target, inside in root.links:
        made += ["--symlink", target, inside]
    made += ["--dev", "/dev", *(["--dev-bind", "/dev/kvm", "/dev/kvm"] if kvm else []),
             "--size", str(SCRATCH_BYTES), "--tmpfs", "/var/tmp"]  # noqa: S108 -- QEMU's own, inside
    return [*made, "--remount-ro", "/dev", "--remount-ro", "/"]
