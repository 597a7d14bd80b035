"""A disk that starts by UEFI alone: a FAT file system with one small program, which says a line and powers off."""

from __future__ import annotations

import struct

SECTOR, SECTORS, FAT_SECTORS, ROOT_SECTORS = 512, 2880, 9, 14
FIRST = 1 + 2 * FAT_SECTORS + ROOT_SECTORS
LAST, FOLDER = 0xFFF, 0x10
CODE = bytes.fromhex(
    "488d3526000000"  # lea rsi, the line, behind this code
    "ac"              # next: lodsb
    "84c0"            # test al, al
    "7414"            # jz done
    "88c4"            # mov ah, al
    "66bafd03"        # mov dx, 0x3fd
    "ec"              # wait: in al, dx
    "a820"            # test al, 0x20
    "74fb"            # jz wait
    "88e0"            # mov al, ah
    "66baf803"        # mov dx, 0x3f8
    "ee"              # out dx, al
    "ebe7"            # jmp next
    "66ba0406"        # done: mov dx, 0x604
    "66b80020"        # mov ax, 0x2000
    "66ef"            # out dx, ax
    "f4"              # halt: hlt
    "ebfd"            # jmp halt
)


def program(line: bytes) -> bytes:
    """A PE32+ file with one section."""
    code = (CODE + line + b"\0").ljust(SECTOR, b"\0")
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0"
    head += struct.pack("<HHIIIHH", 0x8664, 1, 0, 0, 0, 240, 0x22)
    head += struct.pack("<HBBIIIII", 0x20B, 0, 0, len(code), 0, 0, 0x1000, 0x1000)
    head += struct.pack("<QIIHHHHHHIIIIHH", 0, 0x1000, SECTOR, 0, 0, 0, 0, 0, 0, 0, 0x2000, SECTOR, 0, 10, 0)
    head += struct.pack("<QQQQII", 0, 0, 0, 0, 0, 16) + bytes(128)
    head += b".text\0\0\0" + struct.pack("<IIIIIIHHI", len(code), 0x1000, len(code), SECTOR, 0, 0, 0, 0, 0x60000020)
    return head.ljust(SECTOR, b"\0") + code


def uefi_disk(line: bytes) -> bytes:
    """The program as /EFI/BOOT/BOOTX64.EFI."""
    file = program(line)
    chain = [0xFF0, LAST, LAST, LAST, 5, LAST]
    packed = b"".join((one | other << 12).to_bytes(3, "little") for one, other in zip(chain[::2], chain[1::2], strict=True))
    table = packed.ljust(FAT_SECTORS * SECTOR, b"\0")
    start = b"\xeb\x3c\x90WINDTUNN" + struct.pack(
        "<HBHBHHBHHHII", SECTOR, 1, 1, 2, ROOT_SECTORS * SECTOR // 32, SECTORS, 0xF0, FAT_SECTORS, 18, 2, 0, 0)
    start += struct.pack("<BBBI", 0x80, 0, 0x29, 1) + b"TEST       FAT12   "
    root = entry(b"EFI", kind=FOLDER, cluster=2).ljust(ROOT_SECTORS * SECTOR, b"\0")
    efi = (inner(2, above=0) + entry(b"BOOT", kind=FOLDER, cluster=3)).ljust(SECTOR, b"\0")
    boot = (inner(3, above=2) + entry(b"BOOTX64", b"EFI", kind=0x20, cluster=4, size=len(file))).ljust(SECTOR, b"\0")
    made = start.ljust(SECTOR - 2, b"\0") + b"\x55\xaa" + 2 * table + root + efi + boot + file
    return made.ljust(SECTORS * SECTOR, b"\0")


def inner(cluster: int, *, above: int) -> bytes:
    return entry(b".", kind=FOLDER, cluster=cluster) + entry(b"..", kind=FOLDER, cluster=above)


def entry(name: bytes, ending: bytes = b"", *, kind: int, cluster: int, size: int = 0) -> bytes:
    return name.ljust(8) + ending.ljust(3) + struct.pack("<B14xHI", kind, cluster, size)
