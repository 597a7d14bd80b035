"""The ring of keys that sign: one current, the older ones kept so that what they signed can still be checked.

What holds: secret keys lie in files that their owner alone may read, each made whole or not at all, and a file that
others may read is refused. What does not hold: whoever has the user's rights has the keys; keep checkpoints elsewhere.
"""

from __future__ import annotations

import base64
import binascii
import os
import secrets
import stat
from pathlib import Path

from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit.note import PublicKey, SecretKey, check_name
from windtunnel.store.database import alone

_HEAD = "PRIVATE+KEY"
_MOST_FILE = 4096


class KeyRing:
    """Secret keys in a folder, by number; the last is the current one."""

    def __init__(self, folder: Path, *, name: str) -> None:
        """``name`` is what keys made here are called."""
        self.folder, self.name = folder, check_name(name)

    def current(self) -> SecretKey:
        """The key that signs; the first is made when it is first asked for."""
        files = self._files()
        return _read(files[-1]) if files else self.rotate(first=True)

    def rotate(self, *, first: bool = False) -> SecretKey:
        """A new current key; the others stay. With ``first``, only where there is none yet."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with alone(self.folder):
            files = self._files()
            if first and files:
                return _read(files[-1])
            key = SecretKey(self.name, secrets.token_bytes(32))
            _write(self.folder / f"{len(files) + 1:04d}.key", key)
        return key

    def public(self) -> list[PublicKey]:
        """All public keys, oldest first."""
        return [_read(path).public for path in self._files()]

    def _files(self) -> list[Path]:
        return sorted(self.folder.glob("[0-9][0-9][0-9][0-9].key")) if self.folder.is_dir() else []


def _write(path: Path, key: SecretKey) -> None:
    word = f"{_HEAD}+{key.name}+{base64.b64encode(key.seed).decode()}\n"
    draft = path.with_suffix(".new")
    draft.unlink(missing_ok=True)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(word)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)


def _read(path: Path) -> SecretKey:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    with os.fdopen(descriptor) as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode) or mode & 0o077:
            raise SandboxFailure(f"{path}: a secret key that others may read is none (make a new one: "
                                 "windtunnel audit keys rotate; then remove this file)")
        text = file.read(_MOST_FILE)
    name, _, encoded = text.rstrip("\n").removeprefix(f"{_HEAD}+").partition("+")
    try:
        seed = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        seed = b""
    if not text.startswith(f"{_HEAD}+") or len(seed) != 32:  # noqa: PLR2004 -- the bytes of a seed
        raise SandboxFailure(f"{path}: not a secret key; put it back as it was, or remove it")
    return SecretKey(check_name(name), seed)
