"""The guest's first file system: our Python with the few modules it needs, the kernel's modules, our agent.

Written in the kernel's own archive format ("newc"), from the host's files; kept by content.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import marshal
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.sandbox.handover import base_python
from windtunnel.sandbox.rootfs import linked_files
from windtunnel.sandbox.vm.cache import Cache
from windtunnel.sandbox.vm.kernel import Kernel, module_bytes
from windtunnel.spawn import ask

_PACKAGE = Path(__file__).parents[2]
_INSIDE = (
    "kernel", "notices", "view", "wires", "python", "stem", "guest", "guest_port", "guest_report", "guest_run",
    "guest_view")
_SHARED = (
    "core/effects", "core/errors", "core/limits", "core/randomness", "core/result", "sandbox/harvest", "sandbox/layer")
"""Modules that the agent shares with the host, so that both read a finished program's files alike."""
_EMPTY = ("__init__", "core/__init__", "sandbox/__init__")
_IMPORTED = (
    "__future__, _socket, _thread, array, atexit, collections.abc, contextlib, ctypes, dataclasses, datetime, "
    "encodings.ascii, encodings.latin_1, encodings.utf_8, enum, errno, fcntl, gc, hashlib, json, marshal, os, re, "
    "resource, select, signal, stat, struct, threading, time, types, typing"
)
_LIST = f"""
import sys, {_IMPORTED}
for module in list(sys.modules.values()):
    if getattr(module, "__file__", None):
        print(module.__file__)
"""
_AGENT = "/agent"
_KEPT = 4
_FLAGS = "-EsS"
_START = f"#!{{python}} {_FLAGS}\nimport sys\nsys.path.insert(0, {_AGENT!r})\nimport guest\nguest.main()\n"
_FOLDERS = ("/proc", "/sys", "/dev", "/top", "/new", "/lower", "/project", "/tmp")  # noqa: S108 -- inside the guest


def initramfs(cache: Cache, kernel: Kernel) -> Path:
    """The archive for this kernel and this interpreter, packed anew only when something in it has changed."""
    files = [*_python_files(), *_module_files(kernel), *_agent_files()]
    key = hashlib.sha256()
    for path, mode, data in files:
        key.update(f"{path}\0{mode}\0{len(data)}\0".encode() + hashlib.sha256(data).digest())
    place = cache.folder(f"initramfs-{key.hexdigest()[:24]}")
    if not place.exists():
        with cache.making(place) as made, (made / "archive").open("wb") as archive:
            for part in packed(files):
                archive.write(part)
        cache.keep_newest("initramfs-*", _KEPT)
    cache.touch(place)
    return place / "archive"


File = tuple[str, int, bytes]
"""Absolute path, mode with type, content or target."""


def _python_files() -> list[File]:
    python = base_python()
    code, said = ask([python, _FLAGS, "-c", _LIST], env={}, seconds=30)
    if code:
        raise IsolationUnavailable(
            f"the guest's agent needs the Python that runs Windtunnel, which said: {said[-300:]}")
    sources = [line for line in said.splitlines() if line.startswith("/")]
    compiled = [importlib.util.cache_from_source(path) for path in sources if path.endswith(".py")]
    # By its landmark file an interpreter knows where its library is.
    landmark = str(Path(os.__file__).resolve())
    wanted = [python, landmark, *sources, *(path for path in compiled if os.path.exists(path))]  # noqa: PTH110
    return [found for path in linked_files(wanted) if (found := _of_host(path)) is not None]


def _of_host(path: str) -> File | None:
    info = os.lstat(path)
    if stat.S_ISLNK(info.st_mode):
        return path, stat.S_IFLNK | 0o777, os.fsencode(os.readlink(path))  # noqa: PTH115
    if not stat.S_ISREG(info.st_mode):
        return None
    return path, stat.S_IFREG | (0o755 if info.st_mode & 0o111 else 0o644), Path(path).read_bytes()


def _module_files(kernel: Kernel) -> list[File]:
    return [(f"/modules/{number:03}", stat.S_IFREG | 0o644, module_bytes(path))
            for number, path in enumerate(kernel.modules)]


def _agent_files() -> list[File]:
    file = stat.S_IFREG | 0o644
    inside = [(f"{_AGENT}/{name}.pyc", file, _compiled(f"sandbox/inside/{name}")) for name in _INSIDE]
    shared = [(f"{_AGENT}/windtunnel/{name}.pyc", file, _compiled(name)) for name in _SHARED]
    empty = [(f"{_AGENT}/windtunnel/{name}.py", file, b"") for name in _EMPTY]
    start = ("/init", stat.S_IFREG | 0o755, _START.format(python=base_python()).encode())
    folders = [(path, stat.S_IFDIR | 0o755, b"") for path in _FOLDERS]
    return [*inside, *shared, *empty, start, *folders]


@functools.cache
def _compiled(name: str) -> bytes:
    """A module as a ``.pyc`` file that is never compared with a source."""
    path = _PACKAGE / f"{name}.py"
    code = importlib.machinery.SourceFileLoader(path.stem, str(path)).source_to_code(path.read_bytes(), f"/{name}.py")
    return importlib.util.MAGIC_NUMBER + bytes(12) + marshal.dumps(code)


# --- the archive ---

def packed(files: Iterable[File]) -> Iterator[bytes]:
    """The archive, piece by piece; everything in it is root's, and every folder comes before what is in it."""
    made: dict[str, tuple[int, bytes]] = {}
    for path, mode, data in files:
        for parent in reversed(Path(path).parents[:-1]):
            made.setdefault(str(parent), (stat.S_IFDIR | 0o755, b""))
        made[path] = (mode, data)
    for number, path in enumerate(sorted(made, key=lambda path: path.split("/")), start=1):
        mode, data = made[path]
        yield _header(path.lstrip("/"), number=number, mode=mode, size=len(data))
        yield data + bytes(-len(data) % 4)
    yield _header("TRAILER!!!", number=0, mode=0, size=0)


def _header(name: str, *, number: int, mode: int, size: int) -> bytes:
    encoded = os.fsencode(name) + b"\0"
    fields = (number, mode, 0, 0, 1, 0, size, 0, 0, 0, 0, len(encoded), 0)
    head = b"070701" + b"".join(b"%08x" % field for field in fields) + encoded
    return head + bytes(-len(head) % 4)
