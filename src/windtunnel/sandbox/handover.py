"""Handing our own code and data to the processes that run them (see ``inside/``)."""

from __future__ import annotations

import functools
import importlib.machinery
import importlib.util
import marshal
import os
import sys
from pathlib import Path
from types import CodeType

_INSIDE = Path(__file__).parent / "inside"
_STEM_MODULES = ("kernel", "view", "wires", "python", "stem")
PLACE = "/run/windtunnel"
"""Where the stem's modules lie side by side in the sandbox."""


def base_python() -> str:
    """The real interpreter behind a virtual environment or a shim."""
    return os.path.realpath(getattr(sys, "_base_executable", None) or sys.executable)


def plain_python() -> list[str]:
    """Our own interpreter without settings or packages; it still finds modules beside its script."""
    return [base_python(), "-E", "-s", "-S"]


def script(name: str) -> list[str]:
    """How to start one of the scripts that stay outside."""
    return [*plain_python(), str(_INSIDE / f"{name}.py")]


def stem_command(interpreter: str | None) -> list[str]:
    """How to start the stem inside, on the interpreter that may become the program or on our own."""
    suffix = _suffix(interpreter)
    return [*([interpreter] if interpreter else plain_python()), f"{PLACE}/stem{suffix}"]


def stem_files(interpreter: str | None) -> list[tuple[bytes, str]]:
    """(content, path inside) of what the stem runs: compiled code, where the interpreter is our own and reads it."""
    suffix = _suffix(interpreter)
    content = _compiled if suffix == ".pyc" else _source
    return [(content(name), f"{PLACE}/{name}{suffix}") for name in _STEM_MODULES]


def _suffix(interpreter: str | None) -> str:
    return ".pyc" if interpreter is None or os.path.realpath(interpreter) == base_python() else ".py"


def _source(name: str) -> bytes:
    return (_INSIDE / f"{name}.py").read_bytes()


@functools.cache
def _compiled(name: str) -> bytes:
    """A module as a ``.pyc`` file, from the cached bytecode where that is valid."""
    code = importlib.machinery.SourceFileLoader(name, str(_INSIDE / f"{name}.py")).get_code(name)
    assert code is not None
    header = importlib.util.MAGIC_NUMBER + bytes(12)
    return header + marshal.dumps(_renamed(code, f"{PLACE}/{name}.py"))


def _renamed(code: CodeType, path: str) -> CodeType:
    """The same code under its path inside, so that a program that walks its stack does not learn ours."""
    parts = tuple(_renamed(part, path) if isinstance(part, CodeType) else part for part in code.co_consts)
    return code.replace(co_filename=path, co_consts=parts)


def memory_file(data: bytes) -> int:
    """A descriptor of a file that exists in memory alone, at its beginning."""
    descriptor = os.memfd_create("windtunnel", os.MFD_CLOEXEC)
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view):]
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor
