"""Checkpoints: the size and the hash of a log at one moment, signed, to be kept where the log's writer cannot reach."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable
from dataclasses import dataclass

from windtunnel.core.errors import UsageError
from windtunnel.store.audit.merkle import HASH_BYTES
from windtunnel.store.audit.note import PublicKey, SecretKey, open_note, sign_note

_LEAST_LINES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What somebody swore the log was."""

    origin: str
    """Which log."""
    size: int
    root: bytes
    time: str = ""
    """When it was signed, by the signer's clock."""

    def signed(self, key: SecretKey) -> str:
        """As a signed note."""
        lines = [self.origin, str(self.size), base64.b64encode(self.root).decode(), *([self.time] if self.time else [])]
        return sign_note("".join(f"{line}\n" for line in lines), key)


def read_checkpoint(note: str, keys: Iterable[PublicKey]) -> Checkpoint:
    """What a signed note says of a log; a typed error unless it is signed by one of the keys."""
    text, _ = open_note(note, keys)
    lines = text.split("\n")
    try:
        size, root = int(lines[1]), base64.b64decode(lines[2], validate=True)
    except (IndexError, ValueError, binascii.Error):
        size, root = -1, b""
    if len(lines) <= _LEAST_LINES or size < 0 or str(size) != lines[1] or len(root) != HASH_BYTES:
        raise UsageError("checkpoint: the note is signed, but it is no checkpoint", field="checkpoint")
    return Checkpoint(origin=lines[0], size=size, root=root, time=lines[3])
