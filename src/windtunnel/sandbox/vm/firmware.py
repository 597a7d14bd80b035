"""What starts a disk: the BIOS that comes with QEMU, or UEFI, which today's Windows and macOS want."""

from __future__ import annotations

import os
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable, UsageError

BIOS, UEFI = "bios", "uefi"
_PLACES = (
    "/usr/share/ovmf/OVMF.fd", "/usr/share/OVMF/OVMF.fd", "/usr/share/edk2/x64/OVMF.4m.fd",
    "/usr/share/edk2-ovmf/x64/OVMF.fd", "/usr/share/qemu/ovmf-x86_64.bin",
)
"""Where distributions put the whole of it in one file."""


def firmware_file(name: object, *, places: tuple[str, ...] = _PLACES) -> Path | None:
    """The file to start with; None for the BIOS, which QEMU finds by itself."""
    if name not in (BIOS, UEFI):
        raise UsageError(f"firmware: {repr(name)[:60]} is not {BIOS} or {UEFI}", field="firmware")
    if name == BIOS:
        return None
    for place in places:
        if os.path.isfile(place):  # noqa: PTH113 -- as elsewhere at this level
            return Path(os.path.realpath(place))
    raise IsolationUnavailable("there is no UEFI firmware for QEMU here: apt-get install ovmf")
