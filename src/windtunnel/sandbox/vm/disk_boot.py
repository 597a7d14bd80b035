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
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.limits import GIB, MIB, Limits, parse_size
from windtunnel.core.ports import Sink
from windtunnel.core.result import Reason
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.identity import HostUser
from windtunnel.sandbox.slot import remove_soon
from windtunnel.sandbox.vm.accelerator import EMULATION
from windtunnel.sandbox.vm.arguments import PLACE, Hardware, machine
from windtunnel.sandbox.vm.confine import SCRATCH_BYTES, end, find_program, start_confined, switch_off
from windtunnel.sandbox.vm.disk_file import DiskFile, open_disk
from windtunnel.sandbox.vm.firmware import BIOS, firmware_file
from windtunnel.sandbox.vm.request import host_limits
from windtunnel.spawn import Kept, handles

_SETTINGS = ("windows_image", "macos_image", "memory", "cores", "timeout", "firmware")
_END_SECONDS = 5.0
_TICK_SECONDS = 1.0
_MOST_CORES = 16
MEMORY_BYTES, SECONDS = 2 * GIB, 120.0
"""What a disk's machine gets when the settings do not say."""


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
    serial_dropped: int = 0
    """Bytes left out of the middle of what it said."""
    form: str = ""
    """What the disk is: ``qcow2`` or ``raw``."""
    machine: str = ""
    """What executed it, as ``enforced`` tells it at this level."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskSettings:
    """``VM_SETTINGS``, checked: the disks by system, and what their machine gets."""

    images: Mapping[str, str]
    memory_bytes: int = MEMORY_BYTES
    cores: int = 1
    seconds: float = SECONDS
    firmware: str = BIOS


def read_settings(settings: Mapping[str, Any]) -> DiskSettings:
    """The disks, ``memory``, ``cores``, ``timeout`` and ``firmware``; anything else is refused by name."""
    for name in settings.keys() - set(_SETTINGS):
        raise UsageError(f"VM_SETTINGS: there is no {str(name)[:60]!r} (there are {', '.join(_SETTINGS)})",
                         field=str(name)[:60])
    images = {name.removesuffix("_image"): settings[name] for name in _SETTINGS[:2] if settings.get(name) is not None}
    for system, image in images.items():
        if not isinstance(image, str | os.PathLike) or not os.fsdecode(image):
            raise UsageError(f"VM_SETTINGS: {system}_image is not the path of a QEMU disk file",
                             field=f"{system}_image")
    return DiskSettings(
        images={system: os.fsdecode(image) for system, image in images.items()},
        memory_bytes=parse_size(settings.get("memory", MEMORY_BYTES), field="memory"),
        cores=settings.get("cores", 1), seconds=settings.get("timeout", SECONDS),
        firmware=settings.get("firmware", BIOS))


def boot_settings(settings: Mapping[str, Any], *, system: str) -> DiskBoot:
    """Boot by ``VM_SETTINGS``: ``{system}_image``, and perhaps the other keys."""
    checked = read_settings(settings)
    image = checked.images.get(system)
    if image is None:
        raise UsageError(f"VM_SETTINGS: no {system}_image (give the path of a QEMU disk file)", field=f"{system}_image")
    return boot_disk(
        Path(image), memory_bytes=checked.memory_bytes, cores=checked.cores, seconds=checked.seconds,
        firmware=checked.firmware)


def boot_disk(image: Path, **options: Any) -> DiskBoot:  # noqa: ANN401 -- those of ``boot_opened``
    """Boot it until it powers itself off, says ``until``, or the time is over."""
    check_machine(**{name: options[name] for name in options.keys() & _MACHINE})
    disk = open_disk(image)
    try:
        return boot_opened(disk, **options)
    finally:
        os.close(disk.descriptor)


_SAID = {"wall_seconds": "timeout", "memory_bytes": "memory"}
"""Limits by the names that they have in the settings."""
_MACHINE = ("memory_bytes", "cores", "seconds", "output_bytes")


def check_machine(
    *, memory_bytes: int = MEMORY_BYTES, cores: int = 1, seconds: float = SECONDS, output_bytes: int = MIB,
) -> Limits:
    """What a machine may use, each number checked to be one."""
    if isinstance(cores, bool) or not isinstance(cores, int) or not 1 <= cores <= _MOST_CORES:
        raise UsageError(f"cores: {repr(cores)[:60]} is not a number of processors from 1 to {_MOST_CORES}",
                         field="cores")
    try:
        return Limits(wall_seconds=seconds, memory_bytes=memory_bytes, cores=cores, output_bytes=output_bytes)
    except UsageError as error:
        name = _SAID.get(error.field or "", error.field)
        raise UsageError(f"{name}:{str(error).partition(':')[2]}", field=name) from None


def boot_opened(
    disk: DiskFile, *, memory_bytes: int = 512 * MIB, cores: int = 1, seconds: float = 60.0, until: bytes = b"",
    output_bytes: int = MIB, accelerator: str = EMULATION, firmware: str = BIOS, on_serial: Sink | None = None,
    on_tick: Callable[[float], None] | None = None,
) -> DiskBoot:
    """The same for an open disk; ``on_serial`` gets what it says at once, ``on_tick`` the seconds, every second."""
    limits = check_machine(memory_bytes=memory_bytes, cores=cores, seconds=seconds, output_bytes=output_bytes)
    start = firmware_file(firmware)
    program = find_program()
    hardware = Hardware(memory_mib=max(1, memory_bytes // MIB), processors=cores, accelerator=accelerator)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        boot = _Boot(ours, limits, until=until, sink=on_serial, tick=on_tick)
        words = disk_arguments(hardware, disk=disk.descriptor, form=disk.form, console=theirs.fileno())
        if start is not None:
            words += ["-bios", f"{PLACE}/firmware"]
        told = boot.run(program, words, [disk.descriptor, theirs.fileno()], theirs, hardware=hardware,
                        files={} if start is None else {"firmware": start})
    return replace(told, form=disk.form)


def disk_arguments(hardware: Hardware, *, disk: int, form: str, console: int) -> list[str]:
    """A machine as common systems expect one, as data: a SATA disk and a serial line.

    A scratch that is full is the guest's own trouble: it gets an error, where QEMU would else stop it without a word.
    """
    words = [word.replace(",sata=off", "") for word in machine(hardware)]
    return [
        *words, "-add-fd", f"fd={disk},set=1",
        "-drive", f"if=none,id=disk,file.filename=/dev/fdset/1,file.locking=off,driver={form},snapshot=on",
        "-device", "ide-hd,drive=disk,bus=ide.0,werror=report,rerror=report",
        "-chardev", f"socket,id=console,fd={console}", "-serial", "chardev:console"]


class _Boot:
    def __init__(
        self, console: socket.socket, limits: Limits, *, until: bytes, sink: Sink | None,
        tick: Callable[[float], None] | None,
    ) -> None:
        self._console, self._until = console, until
        self._kept = Kept(limits.output_bytes, sink=sink)
        self._limits, self._tick = limits, tick
        self._tail = b""
        self.said = False

    def run(
        self, program: str, words: list[str], given: list[int], theirs: socket.socket, *, hardware: Hardware,
        files: Mapping[str, Path],
    ) -> DiskBoot:
        groups = cgroups.find()
        group = groups.make() if groups else None
        if group is not None:
            given_by_host = host_limits(self._limits, hardware)
            group.apply(replace(given_by_host, memory_bytes=given_by_host.memory_bytes + SCRATCH_BYTES))
        user = HostUser()
        reading, output = os.pipe()
        begun = time.monotonic()
        try:
            try:
                process = start_confined(
                    program, words, files=files, descriptors=given, output=output, user=user, group=group,
                    kvm=hardware.accelerator == "kvm")
            finally:
                os.close(output)
                theirs.close()
            reason = self._watch(process, begun + self._limits.wall_seconds)
            wall = time.monotonic() - begun
            if reason is Reason.EXITED and not self.said and process.wait() != 0:
                raise SandboxFailure(f"QEMU could not run the disk: {os.read(reading, 2000).decode(errors='replace')}")
            return DiskBoot(serial=self._kept.value(), reason=reason, wall_seconds=wall, said=self.said,
                            serial_dropped=self._kept.dropped)
        finally:
            os.close(reading)
            user.release()
            if group is not None and groups is not None:
                remove_soon(group, seconds=3)
                groups.close()

    def _watch(self, process: handles.Popen[bytes], deadline: float) -> Reason:
        """Read until it ends; on every way out it is dead.

        A second clock switches the machine off in time also while somebody is slow to take what it said.
        """
        pidfd = os.pidfd_open(process.pid)
        clock = threading.Timer(deadline - time.monotonic(), switch_off, (process, pidfd))
        clock.daemon = True
        clock.start()
        ended = False
        try:
            ended = self._read(deadline)
            return Reason.EXITED if self.said or (ended and time.monotonic() < deadline) else Reason.TIMEOUT
        finally:
            if ended:
                with contextlib.suppress(handles.TimeoutExpired):
                    process.wait(timeout=_END_SECONDS)
            clock.cancel()
            clock.join()
            end(process, pidfd)
            os.close(pidfd)

    def _read(self, deadline: float) -> bool:
        """Until what is waited for is said, the time is over, or the line ends, which is what it tells."""
        poll = select.poll()
        poll.register(self._console, select.POLLIN)
        begun = time.monotonic()
        while not self.said and (left := deadline - time.monotonic()) > 0:
            if poll.poll(1000 * min(left, _TICK_SECONDS)):
                if not self._take():
                    return True
            elif self._tick is not None:
                self._tick(time.monotonic() - begun)
        return False

    def _take(self) -> bool:
        try:
            data = self._console.recv(1 << 16)
        except OSError:
            return False
        self._kept.add(data)
        self._tail = (self._tail + data)[-(len(data) + len(self._until)):]
        self.said = bool(self._until) and self._until in self._tail
        return bool(data)
