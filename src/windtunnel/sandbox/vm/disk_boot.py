"""Starting a disk of the caller's own, such as a Windows or macOS image, behind the same walls.

What holds: the disk is opened read-only and never written, whatever its guest writes goes to a scratch that is thrown
away; no network, no share, nothing of the host but the disk. What does not hold: nothing is known of such a guest but
what it says on its serial line, so there is no exit code and there are no effects.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.limits import GIB, MIB, Limits, parse_size
from windtunnel.core.result import Reason
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.identity import HostUser
from windtunnel.sandbox.slot import remove_soon
from windtunnel.sandbox.vm.arguments import Hardware, machine
from windtunnel.sandbox.vm.confine import end, find_program, start_confined
from windtunnel.sandbox.vm.request import host_limits
from windtunnel.spawn import Kept, handles

_QCOW2 = b"QFI\xfb"
_SETTINGS = ("windows_image", "macos_image", "memory", "cores", "timeout")
_END_SECONDS = 5.0
_MOST_CORES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskBoot:
    """How a disk's machine went."""

    serial: bytes
    """What it said on its first serial line, within the bound asked for."""
    reason: Reason
    """``exited`` when it powered itself off or said what was waited for, ``timeout`` when we switched it off."""
    wall_seconds: float
    said: bool = False
    """Whether it said what was waited for."""


def boot_settings(settings: Mapping[str, Any], *, system: str) -> DiskBoot:
    """Boot by ``VM_SETTINGS``: ``{system}_image``, and perhaps ``memory``, ``cores`` and ``timeout``."""
    for name in settings.keys() - set(_SETTINGS):
        raise UsageError(f"VM_SETTINGS: there is no {name!r} (there are {', '.join(_SETTINGS)})", field=name)
    image = settings.get(f"{system}_image")
    if not isinstance(image, str | os.PathLike):
        raise UsageError(f"VM_SETTINGS: no {system}_image (give the path of a QEMU disk file)", field=f"{system}_image")
    return boot_disk(
        Path(image), memory_bytes=parse_size(settings.get("memory", 2 * GIB), field="memory"),
        cores=settings.get("cores", 1), seconds=settings.get("timeout", 120.0))


def boot_disk(
    image: Path, *, memory_bytes: int = 512 * MIB, cores: int = 1, seconds: float = 60.0, until: bytes = b"",
    output_bytes: int = MIB, accelerator: str = "tcg",
) -> DiskBoot:
    """Boot it until it powers itself off, says ``until``, or the time is over."""
    limits = Limits(wall_seconds=seconds, memory_bytes=memory_bytes, cores=cores, output_bytes=output_bytes)
    if isinstance(cores, bool) or not isinstance(cores, int) or not 1 <= cores <= _MOST_CORES:
        raise UsageError(f"cores: {cores!r} is not a number of processors from 1 to {_MOST_CORES}", field="cores")
    program = find_program()
    hardware = Hardware(memory_mib=max(1, memory_bytes // MIB), processors=cores, accelerator=accelerator)
    disk = _opened(image)
    try:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            return _Boot(ours, limits, until).run(
                program, disk_arguments(hardware, disk=disk, form=_form(disk), console=theirs.fileno()),
                [disk, theirs.fileno()], theirs, hardware=hardware)
    finally:
        os.close(disk)


def _opened(image: Path) -> int:
    try:
        disk = os.open(image, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise UsageError(f"image: {str(image)!r} cannot be opened ({error.strerror})", field="image") from error
    os.set_blocking(disk, True)
    if not os.path.isfile(f"/proc/self/fd/{disk}"):  # noqa: PTH113 -- by descriptor
        os.close(disk)
        raise UsageError(f"image: {str(image)!r} is not a file (give a QEMU disk file)", field="image")
    return disk


def _form(disk: int) -> str:
    """By its first bytes, never by QEMU's guess, which a guest could have written."""
    return "qcow2" if os.pread(disk, 4, 0) == _QCOW2 else "raw"


def disk_arguments(hardware: Hardware, *, disk: int, form: str, console: int) -> list[str]:
    """A machine as common systems expect one, as data: a SATA disk and a serial line."""
    words = [word.replace(",sata=off", "") for word in machine(hardware)]
    return [
        *words, "-add-fd", f"fd={disk},set=1",
        "-drive", f"if=none,id=disk,file.filename=/dev/fdset/1,file.locking=off,driver={form},snapshot=on",
        "-device", "ide-hd,drive=disk,bus=ide.0", "-chardev", f"socket,id=console,fd={console}",
        "-serial", "chardev:console"]


class _Boot:
    def __init__(self, console: socket.socket, limits: Limits, until: bytes) -> None:
        self._console, self._until = console, until
        self._kept = Kept(limits.output_bytes)
        self._limits = limits
        self._tail = b""
        self.said = False

    def run(
        self, program: str, words: list[str], given: list[int], theirs: socket.socket, *, hardware: Hardware,
    ) -> DiskBoot:
        groups = cgroups.find()
        group = groups.make() if groups else None
        if group is not None:
            group.apply(host_limits(self._limits, hardware))
        user = HostUser()
        reading, output = os.pipe()
        begun = time.monotonic()
        try:
            process = start_confined(program, words, files={}, descriptors=given, output=output, user=user, group=group,
                                     kvm=hardware.accelerator == "kvm")
            os.close(output)
            theirs.close()
            reason = self._watch(process, begun + self._limits.wall_seconds)
            wall = time.monotonic() - begun
            if reason is Reason.EXITED and not self.said and process.wait() != 0:
                raise SandboxFailure(f"QEMU could not run the disk: {os.read(reading, 2000).decode(errors='replace')}")
            return DiskBoot(serial=self._kept.value(), reason=reason, wall_seconds=wall, said=self.said)
        finally:
            os.close(reading)
            user.release()
            if group is not None and groups is not None:
                remove_soon(group, seconds=3)
                groups.close()

    def _watch(self, process: handles.Popen[bytes], deadline: float) -> Reason:
        """Read until it ends; on every way out it is dead."""
        pidfd = os.pidfd_open(process.pid)
        ended = False
        try:
            while not self.said and not ended:
                left = deadline - time.monotonic()
                ready, _, _ = select.select([self._console], [], [], max(0.0, left))
                if not ready:
                    return Reason.TIMEOUT
                ended = not self._take()
            return Reason.EXITED
        finally:
            if ended:
                with contextlib.suppress(handles.TimeoutExpired):
                    process.wait(timeout=_END_SECONDS)
            end(process, pidfd)
            os.close(pidfd)

    def _take(self) -> bool:
        try:
            data = self._console.recv(1 << 16)
        except OSError:
            return False
        self._kept.add(data)
        self._tail = (self._tail + data)[-(len(data) + len(self._until)):]
        self.said = bool(self._until) and self._until in self._tail
        return bool(data)
