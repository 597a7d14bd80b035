"""What an ELF file is linked to, read from its own headers and the loader's cache. Nothing is ever executed."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

_CACHE = Path("/etc/ld.so.cache")
_MAGIC = b"glibc-ld.so.cache1.1"
_FLAGS = {"x86_64": 0x0303, "aarch64": 0x0A03}
"""What the cache calls a library of this machine's own kind."""
_DEFAULT = ("/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib")
_MOST_HEADERS, _MOST_DYNAMIC, _MOST_NAME = 256, 1 << 16, 4096
_LOAD, _DYNAMIC, _INTERPRETER = 1, 2, 3
_NEEDED, _STRINGS, _RPATH, _RUNPATH = 1, 5, 15, 29


@dataclass(frozen=True, slots=True, kw_only=True)
class Linked:
    """What the loader is told by one file."""

    interpreter: str | None
    needed: tuple[str, ...]
    search: tuple[str, ...]
    """Folders to look in first, with ``$ORIGIN`` already replaced."""


def linked(path: str) -> Linked | None:
    """The links of a 64-bit little-endian ELF file; None for any other file, and for one that contradicts itself."""
    with contextlib.suppress(OSError, struct.error, ValueError, OverflowError), Path(path).open("rb") as file:
        if file.read(6) == b"\x7fELF\x02\x01":
            return _parse(file, os.path.dirname(os.path.realpath(path)))  # noqa: PTH120
    return None


def libraries(path: str) -> list[str]:
    """The files, as the loader would find them, that this one needs; what is nowhere is left out."""
    found = linked(path)
    if found is None:
        return []
    places = [_place(name, found.search) for name in found.needed]
    return [*([found.interpreter] if found.interpreter else []), *(place for place in places if place)]


def _parse(file: BinaryIO, origin: str) -> Linked:
    file.seek(32)
    (table,) = struct.unpack("<Q", file.read(8))
    file.seek(54)
    size, count = struct.unpack("<HH", file.read(4))
    loads, dynamic, interpreter = [], (0, 0), None
    for number in range(min(count, _MOST_HEADERS)):
        file.seek(table + number * size)
        kind, _, offset, address, _, length, _, _ = struct.unpack("<IIQQQQQQ", file.read(56))
        if kind == _LOAD:
            loads.append((address, offset, length))
        elif kind == _DYNAMIC:
            dynamic = (offset, min(length, _MOST_DYNAMIC))
        elif kind == _INTERPRETER:
            interpreter = _text(file, offset)
    file.seek(dynamic[0])
    data = file.read(dynamic[1])
    tags = list(struct.iter_unpack("<QQ", data[: len(data) // 16 * 16]))
    strings = next((_offset(value, loads) for tag, value in tags if tag == _STRINGS), 0)
    names = {kind: [_text(file, strings + value) for tag, value in tags if tag == kind]
             for kind in (_NEEDED, _RPATH, _RUNPATH)}
    search = [part.replace("$ORIGIN", origin).replace("${ORIGIN}", origin)
              for listed in names[_RUNPATH] or names[_RPATH] for part in listed.split(":") if part]
    return Linked(interpreter=interpreter, needed=tuple(names[_NEEDED]), search=tuple(search))


def _offset(address: int, loads: list[tuple[int, int, int]]) -> int:
    for start, offset, length in loads:
        if start <= address < start + length:
            return address - start + offset
    raise ValueError(address)


def _text(file: BinaryIO, offset: int) -> str:
    file.seek(offset)
    return os.fsdecode(file.read(_MOST_NAME).partition(b"\0")[0])


def _place(name: str, search: tuple[str, ...]) -> str | None:
    if "/" in name:
        return name if name.startswith("/") else None
    cached = loader_cache().get(name)
    tried = [*(f"{folder}/{name}" for folder in search), *([cached] if cached else []),
             *(f"{folder}/{name}" for folder in _DEFAULT)]
    return next((os.path.normpath(path) for path in tried if path.startswith("/") and os.path.exists(path)), None)  # noqa: PTH110


@functools.cache
def loader_cache(path: Path = _CACHE) -> dict[str, str]:
    """Library name to path, as the host's loader has it; empty where there is no cache that we can read."""
    try:
        data = path.read_bytes()
    except OSError:
        return {}
    start = data.find(_MAGIC)
    if start < 0:
        return {}
    data, flags = data[start:], _FLAGS.get(platform.machine())
    (count,) = struct.unpack_from("<I", data, 20)
    found: dict[str, str] = {}
    for number in range(min(count, (len(data) - 48) // 24)):
        kind, name, value = struct.unpack_from("<iII", data, 48 + 24 * number)
        if kind == flags:
            found.setdefault(_string(data, name), _string(data, value))
    return found


def _string(data: bytes, offset: int) -> str:
    return os.fsdecode(data[offset:data.find(b"\0", offset)])
