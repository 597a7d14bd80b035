"""The commit that a repository stands on, read without git."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

_REFERENCE = re.compile(rb"ref: (refs/[\x21-\x7e]{1,400})\s*")
_MOST_BYTES = 16 * 1024 * 1024


def head(git: Path) -> bytes:
    """HEAD's text and the commit it leads to, for a ``.git`` folder; what cannot be read is empty."""
    told = _read(git / "HEAD")
    found = _REFERENCE.fullmatch(told)
    if found is None or b".." in found[1]:
        return told.strip()
    name = found[1].decode("ascii")
    return told.strip() + b" " + (_read(git / name).strip() or _packed(git, found[1]))


def _packed(git: Path, name: bytes) -> bytes:
    lines = _read(git / "packed-refs").splitlines()
    return next((line.split(b" ")[0] for line in lines if line.endswith(b" " + name)), b"")


def _read(path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_MOST_BYTES) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
