"""The ring of keys that encrypt sealed segments, and how one segment uses its key.

What holds: a key lies in a file that its owner alone may read, and is known by an id made from the key itself, so that
a wrong key cannot pass for the right one. Every segment has a key of its own, derived from the ring's and 32 random
bytes, and numbers its frames from 0, so that no nonce is used twice with one key. What does not hold: whoever has the
user's rights has the keys.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit.private import checked_folder, private_folder, read_private, write_private
from windtunnel.store.database import alone

_HEAD = "ENCRYPTION+KEY"
_KEY_BYTES = 32
SALT_BYTES = 32
_NONCE_BYTES = 12
_INSTEAD = "make a new one: windtunnel audit keys rotate --encryption; then chmod 600 this file"


class KeyMissing(SandboxFailure):
    """What was encrypted cannot be read, because its key is not in the ring; the message names the key's id."""

    code = "key-missing"


class Tampered(Exception):
    """A frame is not what the key encrypted for this place; never leaves the store."""


@dataclass(frozen=True, slots=True)
class EncryptionKey:
    """One key of the ring."""

    data: bytes = field(repr=False)

    @property
    def id(self) -> str:
        """What it is called in segments; says nothing of the key."""
        return hashlib.sha256(b"windtunnel encryption key\n" + self.data).hexdigest()[:16]


class EncryptionKeys:
    """Keys in a folder, by number; the last is the current one, the others are for reading."""

    def __init__(self, folder: Path) -> None:
        """Remember where; nothing is made yet."""
        self.folder = folder

    def current(self) -> EncryptionKey:
        """The key for what is encrypted now; the first is made when it is first asked for."""
        files = self._files()
        return _read(files[-1]) if files else self.rotate(first=True)

    def rotate(self, *, first: bool = False) -> EncryptionKey:
        """A new current key; the others stay. With ``first``, only where there is none yet."""
        private_folder(self.folder)
        with alone(self.folder):
            files = self._files()
            if first and files:
                return _read(files[-1])
            key = EncryptionKey(secrets.token_bytes(_KEY_BYTES))
            number = int(files[-1].name.split("-")[1].removesuffix(".key")) + 1 if files else 1
            write_private(self.folder / f"encryption-{number:04d}.key",
                          f"{_HEAD}+{key.id}+{base64.b64encode(key.data).decode()}\n")
        return key

    def get(self, identity: str) -> EncryptionKey:
        """The key with this id; a typed error that names it where it is not here."""
        for path in reversed(self._files()):
            key = _read(path)
            if key.id == identity:
                return key
        raise KeyMissing(f"the encryption key {identity} is not in {self.folder} (put its file back there)")

    def ids(self) -> list[str]:
        """Of all keys, oldest first."""
        return [_read(path).id for path in self._files()]

    @property
    def is_empty(self) -> bool:
        """Whether nothing was ever encrypted with a key of this ring."""
        return not self._files()

    def _files(self) -> list[Path]:
        return sorted(checked_folder(self.folder).glob("encryption-[0-9][0-9][0-9][0-9].key"))


class Cipher:
    """The frames of one segment: AES-256-GCM with a key of the segment's own."""

    def __init__(self, key: EncryptionKey, *, salt: bytes, bound: bytes) -> None:
        """``bound`` is what each frame is tied to besides its number: the segment's head."""
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM  # noqa: PLC0415 -- loaded by those who encrypt
        from cryptography.hazmat.primitives.hashes import SHA256  # noqa: PLC0415
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF  # noqa: PLC0415

        own = HKDF(algorithm=SHA256(), length=_KEY_BYTES, salt=salt, info=b"windtunnel segment").derive(key.data)
        self._cipher, self._bound = AESGCM(own), hashlib.sha256(bound).digest()

    def encrypt(self, data: bytes, number: int) -> bytes:
        """The frame with this number; each number once."""
        return self._cipher.encrypt(number.to_bytes(_NONCE_BYTES), data, self._tied(number))

    def decrypt(self, data: bytes, number: int) -> bytes:
        """What was encrypted as the frame with this number of this segment, or ``Tampered``."""
        from cryptography.exceptions import InvalidTag  # noqa: PLC0415

        try:
            return self._cipher.decrypt(number.to_bytes(_NONCE_BYTES), data, self._tied(number))
        except InvalidTag as error:
            raise Tampered from error

    def _tied(self, number: int) -> bytes:
        return self._bound + number.to_bytes(8)


def _read(path: Path) -> EncryptionKey:
    text = read_private(path, instead=_INSTEAD)
    identity, _, encoded = text.rstrip("\n").removeprefix(f"{_HEAD}+").partition("+")
    try:
        key = EncryptionKey(base64.b64decode(encoded, validate=True))
    except (binascii.Error, ValueError):
        key = EncryptionKey(b"")
    if not text.startswith(f"{_HEAD}+") or len(key.data) != _KEY_BYTES or key.id != identity:
        raise SandboxFailure(f"{path}: not the encryption key {identity[:16]!r}; put it back, or move it away")
    return key
