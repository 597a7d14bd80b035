"""A guest that has booted and waits, saved once and restored for every run."""

from __future__ import annotations

import functools
import hashlib
import os
import time
from collections.abc import Callable
from pathlib import Path

from windtunnel.core.errors import SandboxFailure
from windtunnel.sandbox.vm import arguments
from windtunnel.sandbox.vm.arguments import PORTS, Hardware
from windtunnel.sandbox.vm.cache import Cache
from windtunnel.sandbox.vm.machine import BOOT_SECONDS, Machine, Parts
from windtunnel.sandbox.vm.monitor import Monitor
from windtunnel.spawn import ask

_KEPT = 16


@functools.cache
def program_version(program: str) -> str:
    """As QEMU tells it; a state saved by one version is not given to another."""
    return ask([program, "--version"])[1].partition("\n")[0]


def snapshot_place(cache: Cache, parts: Parts, hardware: Hardware, *, rehearsal: bytes) -> Path:
    """Where the state of this very machine is kept: everything that the state depends on is in the name."""
    numbers = dict.fromkeys((*PORTS, "console"), 0)
    words = [program_version(parts.program), _stamp(parts.kernel), parts.initramfs.parent.name, parts.root.parent.name,
             hashlib.sha256(rehearsal).hexdigest(), *arguments.guest(hardware, numbers)]
    return cache.folder(f"snapshot-{hashlib.sha256(chr(0).join(words).encode()).hexdigest()[:24]}")


def _stamp(path: Path) -> str:
    info = path.stat()
    return f"{path} {info.st_size} {info.st_mtime_ns}"


def snapshot(
    cache: Cache, parts: Parts, hardware: Hardware, *, rehearsal: bytes, boot: Callable[..., Machine] = Machine,
) -> Path:
    """The saved state of a guest that has rehearsed, taken now if there is none."""
    place = snapshot_place(cache, parts, hardware, rehearsal=rehearsal)
    if not place.exists():
        with cache.making(place) as made:
            try:
                _take(parts, hardware, made / "state", rehearsal=rehearsal, boot=boot)
            except SandboxFailure:
                cache.check_room()
                raise
        cache.keep_newest("snapshot-*", _KEPT)
    cache.touch(place)
    return place / "state"


def _take(parts: Parts, hardware: Hardware, state: Path, *, rehearsal: bytes, boot: Callable[..., Machine]) -> None:
    descriptor = os.open(state, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    try:
        machine = boot(parts, hardware, monitored=True)
        try:
            machine.hello()
            machine.renew()
            machine.rehearse(rehearsal)
            Monitor(machine.sockets["monitor"], deadline=time.monotonic() + BOOT_SECONDS).save(descriptor)
        finally:
            machine.discard()
    finally:
        os.close(descriptor)
