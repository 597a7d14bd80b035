"""Starting a disk of the caller's own: settings and options become one machine, within the operator's caps."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB, Limits, parse_size
from windtunnel.core.ports import Sink
from windtunnel.engine.limits import check_limits
from windtunnel.sandbox.vm.accelerator import Accelerator
from windtunnel.sandbox.vm.confine import find_bubblewrap, find_program
from windtunnel.sandbox.vm.disk_boot import DiskBoot, DiskSettings, boot_opened, check_machine, read_settings
from windtunnel.sandbox.vm.disk_file import open_disk
from windtunnel.sandbox.vm.disk_trial import find_disk_accelerator
from windtunnel.sandbox.vm.firmware import firmware_file

VARIABLE = "VM_SETTINGS"
SYSTEMS = ("windows", "macos")
_MOST_SETTINGS = 1 << 16
_MOST_UNTIL = 4096
_MOST_NAMES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Boot:
    """A disk to start; what is None is taken from the settings."""

    image: str | os.PathLike[str] | None = None
    """The disk file; it is only read."""
    system: str | None = None
    """Whose entry of the settings is the disk, ``windows`` or ``macos``; not needed where there is one."""
    settings: Mapping[str, Any] | None = None
    """``windows_image``, ``macos_image``, and the four below; None reads the variable ``VM_SETTINGS``."""
    memory: str | int | None = None
    """``2g`` by default."""
    cores: int | None = None
    """One by default."""
    timeout: float | None = None
    """Seconds until it is switched off; 120 by default."""
    firmware: str | None = None
    """``bios``, which is the default, or ``uefi``."""
    until: str | bytes = b""
    """End when the serial line says this."""
    output_bytes: int = MIB
    """Kept of the serial line, half from its head and half from its tail."""
    on_serial: Sink | None = None
    """Gets what the serial line says as it comes."""
    on_tick: Callable[[float], None] | None = None
    """Gets the seconds since the start, about every second in which nothing is said."""


def boot(wanted: Boot, *, caps: Limits, most_seconds: float, tell: Callable[[str], None]) -> DiskBoot:
    """Start it, and return when it has powered itself off, has said what was waited for, or is out of time.

    The caps bind it as they bind a run, but for the wall time: a system takes longer to start, so ``most_seconds``.
    """
    until = _until(wanted.until)
    settings = settings_for(wanted, os.environ)
    limits = check_machine(memory_bytes=settings.memory_bytes, cores=settings.cores, seconds=settings.seconds,
                           output_bytes=wanted.output_bytes)
    if limits.wall_seconds > most_seconds:
        raise UsageError(f"timeout: {limits.wall_seconds:g} is over the cap of {most_seconds:g} "
                         "(the operator can raise it in the configuration: trial_seconds)", field="timeout")
    check_limits(limits, caps=replace(caps, wall_seconds=most_seconds, cpu_seconds=None))
    image = image_of(wanted, settings)
    disk = open_disk(image)
    try:
        firmware_file(settings.firmware)
        find_program()
        find_bubblewrap()
        accelerator = find_disk_accelerator()
        tell(_beginning(image, limits, form=disk.form, accelerator=accelerator))
        told = boot_opened(
            disk, memory_bytes=limits.memory_bytes, cores=settings.cores, seconds=limits.wall_seconds, until=until,
            output_bytes=limits.output_bytes, accelerator=accelerator.name, firmware=settings.firmware,
            on_serial=wanted.on_serial, on_tick=wanted.on_tick)
    finally:
        os.close(disk.descriptor)
    return replace(told, machine=accelerator.told)


def settings_for(wanted: Boot, environ: Mapping[str, str]) -> DiskSettings:
    """The settings with the options on top of them."""
    given = wanted.settings
    if given is None:
        text = environ.get(VARIABLE)
        given = parse_settings(text.encode("utf-8", "surrogateescape"), source=VARIABLE) if text else {}
    if not isinstance(given, Mapping):
        raise UsageError(f"settings: not a mapping: {type(given).__name__} (try {{'windows_image': 'disk.qcow2'}})",
                         field="settings")
    found = read_settings(given)
    return replace(
        found, memory_bytes=found.memory_bytes if wanted.memory is None else parse_size(wanted.memory, field="memory"),
        cores=found.cores if wanted.cores is None else wanted.cores,
        seconds=found.seconds if wanted.timeout is None else wanted.timeout,
        firmware=found.firmware if wanted.firmware is None else wanted.firmware)


def load_settings(path: str) -> dict[str, Any]:
    """The settings in a file, which is a plain one and not a link."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY)
    except ValueError:
        raise UsageError("--settings: not a path", field="--settings") from None
    except OSError as error:
        why = "it is a link" if error.errno == errno.ELOOP else error.strerror
        raise UsageError(f"--settings: cannot read {path[:300]!r}: {why}", field="--settings") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError(f"--settings: {path[:300]!r} is not a plain file", field="--settings")
        text = os.read(descriptor, _MOST_SETTINGS + 1)
    finally:
        os.close(descriptor)
    return parse_settings(text, source="--settings")


def parse_settings(text: bytes, *, source: str) -> dict[str, Any]:
    """A JSON object of at most 64 KiB; ``source`` says where it was found."""
    if len(text) > _MOST_SETTINGS:
        raise UsageError(f"{source}: longer than {_MOST_SETTINGS} bytes", field=source)
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError) as error:
        said = "nested too deep" if isinstance(error, RecursionError) else str(error)[:100]
        raise UsageError(f'{source}: not JSON: {said} (try {{"windows_image": "disk.qcow2"}})',
                         field=source) from error
    if not isinstance(found, dict):
        raise UsageError(f'{source}: not a JSON object (try {{"windows_image": "disk.qcow2"}})', field=source)
    return found


def image_of(wanted: Boot, settings: DiskSettings) -> Path:
    """The one disk that is meant."""
    if wanted.system is not None and wanted.system not in SYSTEMS:
        raise UsageError(f"system: {repr(wanted.system)[:60]} is not {' or '.join(SYSTEMS)}", field="system")
    if wanted.image is not None:
        if not isinstance(wanted.image, str | os.PathLike) or not os.fsdecode(wanted.image):
            raise UsageError("image: not the path of a QEMU disk file", field="image")
        return Path(os.fsdecode(wanted.image))
    named = [wanted.system] if wanted.system else list(settings.images)
    if len(named) > 1:
        raise UsageError(f"system: the settings have disks for {' and '.join(named)} (say which)", field="system")
    if not named or named[0] not in settings.images:
        missing = f"{named[0] if named else 'windows'}_image"
        raise UsageError(f"image: no disk: give one by --image DISK, or {missing} in {VARIABLE} or --settings FILE",
                         field="image" if not named else missing)
    return Path(settings.images[named[0]])


def of_boot(wanted: Boot) -> dict[str, object]:
    """What is written down of a request: the disk by its name, the settings by theirs."""
    names = ("image", "system", "memory", "cores", "timeout", "firmware")
    made: dict[str, object] = {name: str(value)[:500] for name in names if (value := getattr(wanted, name)) is not None}
    return made | {"settings": sorted(str(name)[:60] for name in wanted.settings or ())[:_MOST_NAMES]}


def of_told(told: DiskBoot) -> dict[str, object]:
    """What is written down of how it went: what it said by its hash."""
    serial = {"bytes": len(told.serial) + told.serial_dropped, "sha256": hashlib.sha256(told.serial).hexdigest()}
    return {"result": {"reason": str(told.reason), "said": told.said, "seconds": told.wall_seconds, "form": told.form},
            "controls": {"machine": told.machine}, "output": {"serial": serial}}


def _until(text: str | bytes) -> bytes:
    raw = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    if not isinstance(raw, bytes) or len(raw) > _MOST_UNTIL:
        raise UsageError(f"until: not a text of at most {_MOST_UNTIL} bytes", field="until")
    return raw


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ValueError("a key is there twice")
    return made


def _beginning(image: Path, limits: Limits, *, form: str, accelerator: Accelerator) -> str:
    cores = f"{limits.cores:g} processor{'s' if limits.cores > 1 else ''}"
    return (f"starting {image.name} ({form}) with {limits.memory_bytes // MIB} MiB and {cores}, by {accelerator.told}, "
            f"for at most {limits.wall_seconds:g} s")
