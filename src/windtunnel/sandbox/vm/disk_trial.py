"""Whether KVM really executes a machine for a disk, tried with a disk of one sector that says a word."""

from __future__ import annotations

import os

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.limits import MIB
from windtunnel.sandbox.handover import memory_file
from windtunnel.sandbox.vm.accelerator import Accelerator, find_accelerator
from windtunnel.sandbox.vm.disk_boot import boot_opened
from windtunnel.sandbox.vm.disk_file import SECTOR, DiskFile

_WORD = b"windtunnel: it works"
_CODE = bytes.fromhex(
    "fa"      # cli
    "31c0"    # xor ax, ax
    "8ed8"    # mov ds, ax
    "be227c"  # mov si, the word, behind this code at 0x7c00
    "ac"      # next: lodsb
    "84c0"    # test al, al
    "7412"    # jz halt
    "88c4"    # mov ah, al
    "bafd03"  # mov dx, 0x3fd
    "ec"      # wait: in al, dx
    "a820"    # test al, 0x20
    "74fb"    # jz wait
    "88e0"    # mov al, ah
    "baf803"  # mov dx, 0x3f8
    "ee"      # out dx, al
    "ebe9"    # jmp next
    "f4"      # halt: hlt
    "ebfd"    # jmp halt
)
_SECONDS = 15.0


def find_disk_accelerator() -> Accelerator:
    """KVM where it works, else emulation, with the reason; takes no time where nothing speaks for KVM."""
    return find_accelerator(trial)


def trial(accelerator: str = "kvm") -> None:
    """Start the disk of one sector; SandboxFailure when it does not speak in time."""
    sector = (_CODE + _WORD + b"\0").ljust(SECTOR - 2, b"\0") + b"\x55\xaa"
    written = memory_file(sector.ljust(MIB, b"\0"))
    disk = DiskFile(descriptor=os.open(f"/proc/self/fd/{written}", os.O_RDONLY | os.O_CLOEXEC), form="raw")
    try:
        said = boot_opened(disk, memory_bytes=64 * MIB, seconds=_SECONDS, until=_WORD, accelerator=accelerator).said
    finally:
        for descriptor in (written, disk.descriptor):
            os.close(descriptor)
    if not said:
        raise SandboxFailure("it did not start a disk in time")
