"""Making a segment: whole under its name and on the disk, or not there at all."""

from __future__ import annotations

import hashlib
import os
import secrets
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit import filters
from windtunnel.store.audit.encryption import SALT_BYTES, Cipher, EncryptionKey
from windtunnel.store.audit.note import SecretKey
from windtunnel.store.audit.private import sync_folder
from windtunnel.store.audit.segment import (
    ENTRY,
    FRAME_BYTES,
    LENGTH,
    MAGIC,
    RECORD,
    Head,
    Stored,
    signed_part,
)

DRAFT = ".new"
"""What the name of an unfinished file ends with."""
_LEVEL = 3


def head_of(records: Sequence[Stored], *, root: bytes, previous: str, signer: SecretKey) -> Head:
    """What a segment of these says of itself."""
    times = [filters.value_of(header.decode("ascii"), "time") for _, header, _ in records]
    return Head(origin=signer.name, signer=str(signer.public), first=records[0][0], last=records[-1][0],
                root=root.hex(), previous=previous, oldest=min(times), newest=max(times))


def write_segment(
    folder: Path, head: Head, records: Sequence[Stored], *, signer: SecretKey, key: EncryptionKey | None,
) -> Path:
    """Write it, wait for the disk, and only then give it its name; a segment of that name is replaced."""
    head = replace(head, origin=signer.name, signer=str(signer.public), encryption=key.id if key else "",
                   salt=secrets.token_hex(SALT_BYTES) if key else "")
    path = folder / head.name
    draft = path.with_name(f"{path.name}{DRAFT}")
    try:
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            for part in _parts(head, records, signer=signer, key=key):
                file.write(part)
            file.flush()
            os.fsync(file.fileno())
        draft.rename(path)
        sync_folder(folder)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise SandboxFailure(f"{path}: the segment cannot be written: {error.strerror}; the records stay where they "
                             "are (free some room, or make the folder writable)") from error
    return path


def _parts(
    head: Head, records: Sequence[Stored], *, signer: SecretKey, key: EncryptionKey | None,
) -> Iterator[bytes]:
    """The file from its first byte to its last."""
    import zstandard  # noqa: PLC0415 -- only logs with segments need it

    data = head.to_bytes()
    cipher = Cipher(key, salt=bytes.fromhex(head.salt), bound=data) if key else None
    pack = zstandard.ZstdCompressor(level=_LEVEL, write_content_size=True).compress
    yield MAGIC + LENGTH.pack(len(data)) + data
    index = []
    for number, (first, count, plain) in enumerate(_frames(records)):
        packed = pack(plain)
        stored = cipher.encrypt(packed, number) if cipher else packed
        index.append(ENTRY.pack(first, count, len(plain), len(stored), hashlib.sha256(stored).digest()))
        yield stored
    table = b"".join(index)
    yield table + LENGTH.pack(len(index)) + signer.sign(signed_part(data, table))


def _frames(records: Sequence[Stored]) -> Iterator[tuple[int, int, bytes]]:
    """Records put together until there is enough for a frame: the first, how many, all their bytes."""
    parts: list[bytes] = []
    first, size = records[0][0], 0
    for seq, header, details in records:
        parts.append(RECORD.pack(len(header), len(details)) + header + details)
        size += len(parts[-1])
        if size >= FRAME_BYTES:
            yield first, len(parts), b"".join(parts)
            parts, first, size = [], seq + 1, 0
    if parts:
        yield first, len(parts), b"".join(parts)
