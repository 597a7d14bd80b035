"""A disk file of the caller's own, opened and looked at before QEMU sees it.

What holds: it is one regular file, opened read-only and by its own name, of a format told by its first bytes and never
by QEMU's guess, which a guest could have written; a file that would have QEMU read another file of the host is refused.
What does not hold: whether a system can start from it shows only when it is started.
"""

from __future__ import annotations

import errno
import os
import stat
import struct
from dataclasses import dataclass
from pathlib import Path

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import GIB

SECTOR = 512
_QCOW2 = b"QFI\xfb"
_HEAD = struct.Struct(">4sIQIIQII")
_HEAD_BYTES, _FEATURES_AT = 72, 72
_EXTERNAL_DATA = 1 << 2
_VERSIONS, _CLUSTER_BITS = (2, 3), range(9, 22)
_MOST_BYTES = 1 << 46
_MOST_TABLE = 32 * 1024**2 // 8
"""Entries of a first-level table, which QEMU loads whole."""
_BOOTABLE = b"\x55\xaa"
_LOOKED_AT = 1 << 16
_OTHERS = (
    (0, b"KDMV", "VMDK"), (0, b"# Disk DescriptorFile", "VMDK"), (0, b"vhdxfile", "VHDX"), (0, b"conectix", "VHD"),
    (64, b"\x7f\x10\xda\xbe", "VDI"), (0, b"QED\0", "QED"), (0, b"LUKS\xba\xbe", "LUKS"),
    (0, b"WithoutFreeSpace", "Parallels"), (0, b"WithouFreSpacExt", "Parallels"), (32769, b"CD001", "ISO 9660"),
)
"""Where each other format has its mark; QEMU would read such a file as a disk without a system."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskFile:
    """An open disk; whoever opened it closes its descriptor."""

    descriptor: int
    form: str
    """``qcow2`` or ``raw``, as QEMU calls them."""


def open_disk(image: Path) -> DiskFile:
    """The disk, checked; UsageError says what is wrong with it and what would do."""
    descriptor = _opened(image)
    try:
        return DiskFile(descriptor=descriptor, form=_form(descriptor, name=repr(str(image))[:300]))
    except BaseException:
        os.close(descriptor)
        raise


def _opened(image: Path) -> int:
    name = repr(str(image))[:300]
    try:
        descriptor = os.open(image, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY)
    except ValueError:
        raise _refusal(f"{name} is not a path") from None
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _refusal(f"{name} is a link (give the disk file itself: {os.path.realpath(image)!r})") from error
        raise _refusal(f"{name} cannot be opened ({error.strerror})") from error
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _refusal(f"{name} is not a file (give a QEMU disk file)")
    os.set_blocking(descriptor, True)
    return descriptor


def _form(descriptor: int, *, name: str) -> str:
    try:
        head = os.pread(descriptor, _LOOKED_AT, 0)
    except OSError as error:
        raise _refusal(f"{name} cannot be read ({error.strerror})") from error
    if head.startswith(_QCOW2):
        _check_qcow2(head, name=name)
        return "qcow2"
    for at, mark, form in _OTHERS:
        if head.startswith(mark, at) and not (form == "ISO 9660" and _is_bootable(head)):
            raise _refusal(f"{name} is {form}; only qcow2 and raw disks are started "
                           "(qemu-img convert -O qcow2 THIS NEW makes one)")
    if not _is_bootable(head):
        raise _refusal(f"{name} is not a disk that could start: it is neither qcow2 nor a raw disk, whose first "
                       "sector ends in 55 AA")
    return "raw"


def _is_bootable(head: bytes) -> bool:
    return head[SECTOR - 2:SECTOR] == _BOOTABLE


def _check_qcow2(head: bytes, *, name: str) -> None:
    if len(head) < _HEAD_BYTES:
        raise _refusal(f"{name} is a qcow2 disk that was cut short")
    _, version, backing, _, cluster_bits, size, encrypted, table = _HEAD.unpack_from(head)
    if version not in _VERSIONS:
        raise _refusal(f"{name} is qcow2 of version {version} (qemu-img convert -O qcow2 THIS NEW makes version 3)")
    features = int.from_bytes(head[_FEATURES_AT:_FEATURES_AT + 8], "big") if version > _VERSIONS[0] else 0
    if backing:
        raise _refusal(f"{name} takes what it lacks from another file, which is not given to a machine "
                       "(qemu-img convert -O qcow2 THIS NEW makes one that is whole)")
    if features & _EXTERNAL_DATA:
        raise _refusal(f"{name} has its data in another file, which is not given to a machine "
                       "(qemu-img convert -O qcow2 THIS NEW makes one that is whole)")
    if encrypted:
        raise _refusal(f"{name} is encrypted, and there is nobody to ask for its password "
                       "(qemu-img convert with --object secret makes one that is not)")
    if cluster_bits not in _CLUSTER_BITS or not SECTOR <= size <= _MOST_BYTES or not 0 < table <= _MOST_TABLE:
        raise _refusal(f"{name} is not a qcow2 disk as QEMU makes them (of one sector to {_MOST_BYTES // GIB} GiB); "
                       "qemu-img check THIS says more")


def _refusal(message: str) -> UsageError:
    return UsageError(f"image: {message}", field="image")
