"""Records in one file of their own: compressed, if asked encrypted, and signed.

    magic · length of the head · head (JSON)
    frames: each some records, zstd, then AES-256-GCM where the head names a key
    index: one entry for each frame · number of frames · signature over head and index

What holds: any byte that is changed, cut off or added is found, because the head and the index are signed, the index
holds the hash of every frame, and nothing else is in the file. A frame is bound to its place in its file. Memory is
bounded by one frame, whatever the file says of its sizes. What does not hold: that these are the records of the log;
their hashes in the tree say that, and ``verify`` compares them.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from windtunnel.core.errors import SandboxFailure
from windtunnel.store.audit import form
from windtunnel.store.audit.encryption import SALT_BYTES, Cipher, EncryptionKey, Tampered
from windtunnel.store.audit.merkle import HASH_BYTES
from windtunnel.store.audit.note import PublicKey

MAGIC = b"WTSEG1\n"
FORM = "windtunnel-segment-1"
ENDING = ".wtseg"
MOST_RECORDS = 10_000
"""Of one segment."""
FRAME_BYTES = 256 * 1024
"""A frame is ended when it has this much; one record may be larger, and then has a frame of its own."""
_MOST_HEADER = 256 * 1024
"""Of one record: eight texts of at most 4096 letters, each escaped to at most six."""
MOST_FRAME = FRAME_BYTES + form.MOST_BYTES + _MOST_HEADER
_MOST_STORED = MOST_FRAME + MOST_FRAME // 128 + 1024
"""What cannot be compressed grows a little, and encryption adds a tag."""
_MOST_HEAD = 16 * 1024
SIGNATURE_BYTES = 64
LENGTH = struct.Struct(">I")
ENTRY = struct.Struct(f">QIII{HASH_BYTES}s")
"""Of the index: the first record of a frame, how many, the size of the records, the size in the file, its hash."""
RECORD = struct.Struct(">II")
_SIGNED = b"windtunnel segment\n"
_SALT = re.compile(rf"([0-9a-f]{{{2 * SALT_BYTES}}})?")

Stored = tuple[int, bytes, bytes]
"""A record as it lies in a segment: its place, its header, its details as they were packed."""


class SegmentFault(SandboxFailure):
    """A segment is not what was sealed."""

    code = "segment-fault"

    def __init__(self, message: str, *, kind: str, seq: int) -> None:
        """``kind`` is one of those of ``verify``; ``seq`` the first record that it keeps from being read."""
        super().__init__(message)
        self.kind, self.seq = kind, seq


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """What a segment says of itself."""

    origin: str
    """Which log."""
    signer: str
    """The public key that its signature is checked with."""
    first: int
    last: int
    root: str
    """The hash of the log's tree when it ended with ``last``."""
    previous: str
    """The hash of the record before ``first``."""
    oldest: str
    newest: str
    """The earliest and the latest time of its records."""
    encryption: str = ""
    """The id of the key; empty where it is not encrypted."""
    salt: str = ""

    def to_bytes(self) -> bytes:
        """As it is signed."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return json.dumps({"form": FORM, "compression": "zstd", **fields}, separators=(",", ":")).encode()

    @property
    def name(self) -> str:
        """What its file is called."""
        return f"{self.first}-{self.last}{ENDING}"


@dataclass(frozen=True, slots=True)
class _Frame:
    first: int
    count: int
    plain: int
    stored: int
    hash: bytes
    offset: int


def signed_part(head: bytes, index: bytes) -> bytes:
    """What the signature is over."""
    return _SIGNED + hashlib.sha256(head).digest() + hashlib.sha256(index).digest()


def name_of(path: Path) -> tuple[int, int] | None:
    """The first and the last record that a file's name promises; None for any other file."""
    first, gap, last = path.name.removesuffix(ENDING).partition("-")
    whole = path.name.endswith(ENDING) and gap and first.isdecimal() and last.isdecimal() and len(path.name) < 64  # noqa: PLR2004
    return (int(first), int(last)) if whole and first.isascii() and last.isascii() else None


class Segment:
    """One segment, opened and its signature checked; frames are checked when they are read."""

    def __init__(self, path: Path, *, keys: Sequence[PublicKey], unlock: Callable[[str], EncryptionKey]) -> None:
        """``keys`` are those whose signature is good, ``unlock`` finds the key that a segment was encrypted with."""
        self.path, self._unlock, self._file = path, unlock, -1
        self.first, self.last = name_of(path) or (0, 0)
        self._file = self._opened()
        self._data, self.head, self._frames = self._checked(keys)

    def close(self) -> None:
        """Let go of the file."""
        descriptor, self._file = self._file, -1
        if descriptor >= 0:
            os.close(descriptor)

    def __del__(self) -> None:
        """Let go of the file with the last reference: whoever still reads keeps it open."""
        self.close()

    def fault(self, kind: str, why: str, *, seq: int | None = None) -> SegmentFault:
        """Something is wrong with it."""
        return SegmentFault(f"the segment {self.path.name} {why}", kind=kind, seq=self.first if seq is None else seq)

    # --- what it says of itself ---

    def _opened(self) -> int:
        try:
            descriptor = os.open(self.path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError as error:
            raise self.fault("deleted", f"cannot be opened: {error.strerror}") from error
        found = os.fstat(descriptor)
        if not stat.S_ISREG(found.st_mode):
            os.close(descriptor)
            raise self.fault("foreign", "is not a file")
        self._size = found.st_size
        return descriptor

    def _checked(self, keys: Sequence[PublicKey]) -> tuple[bytes, Head, list[_Frame]]:
        start = len(MAGIC) + LENGTH.size
        data = self._head_bytes(start)
        index, signature = self._index_bytes(start + len(data))
        head = self._head_of(data)
        key = next((key for key in keys if str(key) == head.signer), None)
        if key is None:
            raise self.fault("foreign", "is not signed by a key of this log")
        if not key.verifies(signed_part(data, index), signature):
            raise self.fault("edited", "is not as it was signed")
        if (head.first, head.last) != name_of(self.path):
            raise self.fault("moved", f"holds the records {head.first} to {head.last}")
        return data, head, self._frames_of(head, index, start + len(data))

    def _head_bytes(self, start: int) -> bytes:
        begin = self._read(start, 0)
        (length,) = LENGTH.unpack(begin[len(MAGIC):])
        if not begin.startswith(MAGIC) or length > _MOST_HEAD:
            raise self.fault("foreign", "is not a segment of an audit log")
        return self._read(length, start)

    def _index_bytes(self, start: int) -> tuple[bytes, bytes]:
        end = self._size - SIGNATURE_BYTES - LENGTH.size
        if end < start:
            raise self.fault("cut", "is cut off")
        (count,) = LENGTH.unpack(self._read(LENGTH.size, end))
        if count > MOST_RECORDS or end - count * ENTRY.size < start:
            raise self.fault("cut", "is cut off, or was changed at its end")
        return self._read(count * ENTRY.size, end - count * ENTRY.size), self._read(SIGNATURE_BYTES, end + LENGTH.size)

    def _head_of(self, data: bytes) -> Head:
        try:
            told: dict[str, Any] = json.loads(data)
            compared = Head(**{name: told[name] for name in Head.__slots__})
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise self.fault("edited", "has a head that cannot be read") from error
        numbers = isinstance(compared.first, int) and isinstance(compared.last, int)
        texts = all(isinstance(told[name], str) for name in Head.__slots__ if name not in ("first", "last"))
        if not numbers or not texts or not _SALT.fullmatch(compared.salt) or compared.to_bytes() != data:
            raise self.fault("edited", "has a head that no version of ours wrote")
        return compared

    def _frames_of(self, head: Head, index: bytes, offset: int) -> list[_Frame]:
        """The index, which must be about all records of the segment and all bytes of the file."""
        frames, following = [], head.first
        for first, count, plain, stored, hash_ in ENTRY.iter_unpack(index):
            if first != following or not count or plain > MOST_FRAME or stored > _MOST_STORED:
                raise self.fault("edited", "has an index that no version of ours wrote")
            frames.append(_Frame(first, count, plain, stored, hash_, offset))
            following, offset = first + count, offset + stored
        if following != head.last + 1 or offset + len(index) + LENGTH.size + SIGNATURE_BYTES != self._size:
            raise self.fault("cut", "is cut off, or has something added")
        return frames

    # --- what it holds ---

    def records(self, start: int = 0) -> Iterator[Stored]:
        """From this one on, oldest first."""
        for number, frame in enumerate(self._frames):
            if frame.first + frame.count > start:
                yield from (one for one in self._unpacked(number) if one[0] >= start)

    def records_back(self, below: int) -> Iterator[Stored]:
        """Those before this one, newest first."""
        for number in range(len(self._frames) - 1, -1, -1):
            if self._frames[number].first < below:
                yield from (one for one in reversed(self._unpacked(number)) if one[0] < below)

    def get(self, seq: int) -> tuple[bytes, bytes] | None:
        """The header and the details of one record."""
        for found, header, details in self.records(seq):
            return (header, details) if found == seq else None
        return None

    @cached_property
    def _cipher(self) -> Cipher | None:
        if not self.head.encryption:
            return None
        return Cipher(self._unlock(self.head.encryption), salt=bytes.fromhex(self.head.salt), bound=self._data)

    def _unpacked(self, number: int) -> list[Stored]:
        frame = self._frames[number]
        found: list[Stored] = []
        data, at = self._plain(number), 0
        try:
            while at < len(data):
                header, details = RECORD.unpack_from(data, at)
                at += RECORD.size
                found.append((frame.first + len(found), data[at:at + header], data[at + header:at + header + details]))
                at += header + details
        except struct.error:
            at = -1
        if at != len(data) or len(found) != frame.count:
            raise self.fault("damaged", f"cannot be read from record {frame.first} on", seq=frame.first)
        return found

    def _plain(self, number: int) -> bytes:
        """The records of one frame; never more bytes than the signed index says."""
        import zstandard  # noqa: PLC0415 -- only logs with segments need it

        frame = self._frames[number]
        data = self._read(frame.stored, frame.offset)
        try:
            if hashlib.sha256(data).digest() != frame.hash:
                raise Tampered  # noqa: TRY301 -- one way out for all that is wrong with it
            packed = data if self._cipher is None else self._cipher.decrypt(data, number)
            if zstandard.get_frame_parameters(packed).content_size != frame.plain:
                raise Tampered  # noqa: TRY301
            return zstandard.ZstdDecompressor().decompress(packed, max_output_size=frame.plain, allow_extra_data=False)
        except (zstandard.ZstdError, Tampered) as error:
            last = frame.first + frame.count - 1
            raise self.fault("edited", f"was changed where the records {frame.first} to {last} are",
                             seq=frame.first) from error

    def _read(self, size: int, offset: int) -> bytes:
        """Exactly so many bytes."""
        try:
            data = os.pread(self._file, size, offset)
        except OSError as error:
            raise self.fault("damaged", f"cannot be read: {error.strerror}") from error
        if len(data) != size:
            raise self.fault("cut", "is cut off")
        return data
