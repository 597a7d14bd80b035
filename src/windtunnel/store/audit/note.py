"""Signed notes: a text with lines of signatures under it, as transparency logs exchange them.

What holds: the text is what the named key signed, byte for byte. The form is that of the C2SP signed note with Ed25519,
so that other tools read and check our checkpoints. What does not hold: a name is only as good as the public key that
somebody trusts for it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_ED25519 = b"\x01"
_KEY_BYTES, _ID_BYTES = 32, 4
_ID_LETTERS = 5
"""Letters of a signature that hold bits of the id alone."""
_NAME = re.compile(r"[A-Za-z0-9._/@:-]{1,200}")
_LINE = re.compile(r"— ([^ \n]+) ([A-Za-z0-9+/=]+)")
MOST_NOTE = 64 * 1024


@dataclass(frozen=True, slots=True)
class PublicKey:
    """Whom to believe: ``name+id+key`` in one word."""

    name: str
    data: bytes

    @property
    def id(self) -> bytes:
        """Four bytes that tell keys of one name apart."""
        return hashlib.sha256(self.name.encode() + b"\n" + _ED25519 + self.data).digest()[:_ID_BYTES]

    def __str__(self) -> str:
        """The word that people exchange."""
        return f"{self.name}+{self.id.hex()}+{base64.b64encode(_ED25519 + self.data).decode()}"

    def verifies(self, text: bytes, signature: bytes) -> bool:
        """Whether the owner of the key signed it."""
        from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 -- loaded by those who sign or check
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

        try:
            Ed25519PublicKey.from_public_bytes(self.data).verify(signature, text)
        except (InvalidSignature, ValueError):
            return False
        return True


@dataclass(frozen=True, slots=True)
class SecretKey:
    """What signs."""

    name: str
    seed: bytes

    @property
    def public(self) -> PublicKey:
        """What checks its signatures."""
        return PublicKey(self.name, self._key().public_key().public_bytes_raw())

    def sign(self, text: bytes) -> bytes:
        """The bare signature."""
        return self._key().sign(text)

    def _key(self) -> Ed25519PrivateKey:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415

        return Ed25519PrivateKey.from_private_bytes(self.seed)


def public_key(word: str) -> PublicKey:
    """A public key as people exchange it; a typed error for anything else."""
    name, _, rest = word.strip().partition("+")
    identity, _, encoded = rest.partition("+")
    try:
        data = base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError):
        data = b""
    key = PublicKey(name, data[1:])
    if not _NAME.fullmatch(name) or data[:1] != _ED25519 or len(key.data) != _KEY_BYTES or key.id.hex() != identity:
        raise UsageError(f"key: not a public key: {word[:80]!r} (it is one word, name+id+key)", field="key")
    return key


def check_name(name: str) -> str:
    """A name that can stand in a note."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise UsageError(f"name: {name!r} is not a name for a key (letters, digits and ._/@:-)", field="name")
    return name


def sign_note(text: str, key: SecretKey) -> str:
    """The text, which ends with a line's end, with one line of signature."""
    signed = base64.b64encode(key.public.id + key.sign(text.encode())).decode()
    return f"{text}\n— {key.name} {signed}\n"


def is_signed_as(note: str, keys: Iterable[PublicKey]) -> bool:
    """Whether it says that one of these keys signed it, true or not; also where it says nothing at all."""
    signers = _LINE.findall(note[:MOST_NOTE].rpartition("\n\n")[2])
    known = {(key.name, base64.b64encode(key.id).decode()[:_ID_LETTERS]) for key in keys}
    return not signers or any((name, encoded[:_ID_LETTERS]) in known for name, encoded in signers)


def open_note(note: str, keys: Iterable[PublicKey]) -> tuple[str, PublicKey]:
    """The text and who signed it; a typed error unless one of the keys did."""
    text, gap, lines = note.rpartition("\n\n")
    if not gap or len(note) > MOST_NOTE:
        raise UsageError("note: not a signed note", field="note")
    text += "\n"
    known = {(key.name, key.id): key for key in keys}
    for name, encoded in _LINE.findall(lines):
        try:
            data = base64.b64decode(encoded, validate=True)
        except (binascii.Error, ValueError):
            continue
        key = known.get((name, data[:_ID_BYTES]))
        if key is not None and key.verifies(text.encode(), data[_ID_BYTES:]):
            return text, key
    signers = ", ".join(sorted({name for name, _ in _LINE.findall(lines)})) or "nobody"
    raise UsageError(f"note: not signed by a key that is trusted here (signed by {signers})", field="note")
