r"""How a record is written: a header that the tree holds, and details that the header vouches for.

What holds: the header is one line of ASCII JSON, whatever the fields contain, so that nothing in a field can pass for
another field or another record. Each detail is hashed with a salt of its own, so that taking one out leaves the header,
and with it every proof, as it was, and its hash says nothing of what it held.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii as _quote
from typing import Any

from windtunnel.core.audit import AuditEntry, AuditRecord
from windtunnel.core.errors import UsageError
from windtunnel.core.randomness import random_bytes
from windtunnel.store.audit.merkle import HASH_BYTES, leaf_hash

FIRST = "0" * 64
"""What stands for the record before the first."""
MOST_BYTES = 16 * 1024**2
"""Of all details of one record together; whoever records bounds each of them far below."""
_SALT_BYTES = 16
_MOST_NAME = 200
_MOST_TEXT = 4096
_COMMON = ("id", "kind", "outcome", "actor", "session", "parent", "project", "subject")
_WHOLE, _REDACTED = b"\x00", b"\x01"
_LENGTH = struct.Struct(">I")
_BEFORE_VALUE = 1 + _SALT_BYTES + _LENGTH.size
_length_at = _LENGTH.unpack_from
_sha256 = hashlib.sha256
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """One detail as it lies in the store: a salted value, or the hash that is left of it."""

    name: str
    salt: bytes = b""
    value: bytes = b""
    commitment: bytes = b""

    @property
    def hash(self) -> bytes:
        """What the header vouches for."""
        return self.commitment or hashlib.sha256(self.salt + self.value).digest()


def header_of(entry: AuditEntry, *, seq: int, time: str, previous: str, details_hash: str, clock_back: float) -> bytes:
    """The line that the tree holds."""
    return line_of(common_of(entry), seq=seq, time=time, previous=previous, details_hash=details_hash,
                   clock_back=clock_back)


def common_of(entry: AuditEntry) -> str:
    """The part of the line that whoever acts has said; a typed error where it is not text."""
    return ",".join([f'"{name}":{_quote(_checked(name, getattr(entry, name)))}' for name in _COMMON])


def line_of(common: str, *, seq: int, time: str, previous: str, details_hash: str, clock_back: float) -> bytes:
    """The line with its place: what JSON makes of these fields in this order, put together by hand for speed."""
    back = f'"clock_back":{_encode(clock_back)},' if clock_back else ""
    return (f'{{"seq":{seq},"previous":"{previous}","time":"{time}",{common},{back}"details":"{details_hash}"}}'
            ).encode("ascii")


def prefix_of(seq: int, previous: str) -> bytes:
    """What the header of a record at this place begins with."""
    return b'{"seq":%d,"previous":"%s",' % (seq, previous.encode())


def suffix_of(details_hash: str) -> bytes:
    """What the header of a record with these details ends with."""
    return b'"details":"%s"}' % details_hash.encode()


def pack(details: Mapping[str, object]) -> tuple[bytes, str]:
    """The details of an entry, each with a salt of its own, and what the header says of them."""
    salts, at = random_bytes(_SALT_BYTES * len(details)), 0
    packed, hashed = list[bytes](), list[bytes]()
    for name, value in details.items():
        data, word, salt = _plain(name, value), _name(name), salts[at:at + _SALT_BYTES]
        at += _SALT_BYTES
        packed += (word, _WHOLE, salt, _LENGTH.pack(len(data)), data)
        hashed += (word, _sha256(salt + data).digest())
    made = b"".join(packed)
    if len(made) > MOST_BYTES:
        raise UsageError(f"details: {len(made)} bytes are more than {MOST_BYTES}", field="details")
    return made, _sha256(b"".join(hashed)).hexdigest()


def unpack(packed: bytes) -> Iterator[Detail]:
    """What ``pack`` or ``redact`` made; anything else is a ValueError."""
    at, end = 0, len(packed)
    while at < end:
        size = packed[at]
        name, at = packed[at + 1:at + 1 + size], at + 1 + size
        kind, at = packed[at:at + 1], at + 1
        if kind == _REDACTED:
            commitment, at = packed[at:at + 32], at + 32
            detail = Detail(name=name.decode(), commitment=commitment)
        elif kind == _WHOLE and at + _SALT_BYTES + _LENGTH.size <= end:
            salt, at = packed[at:at + _SALT_BYTES], at + _SALT_BYTES
            (length,) = _LENGTH.unpack_from(packed, at)
            value, at = packed[at + 4:at + 4 + length], at + 4 + length
            detail = Detail(name=name.decode(), salt=salt, value=value)
        else:
            raise ValueError("not details of a record")
        if at > end:
            raise ValueError("details of a record are cut off")
        yield detail


def hash_of(packed: bytes) -> str:
    """What the header says of the details; the same as over what ``unpack`` gives, without making it."""
    hashed, at, end = list[bytes](), 0, len(packed)
    try:
        while at < end:
            kind = at + 1 + packed[at]
            if packed[kind] == _WHOLE[0]:
                value = kind + _BEFORE_VALUE
                after = value + _length_at(packed, value - _LENGTH.size)[0]
                told = _sha256(packed[kind + 1:value - _LENGTH.size] + packed[value:after]).digest()
            elif packed[kind] == _REDACTED[0]:
                after = kind + 1 + HASH_BYTES
                told = packed[kind + 1:after]
            else:
                raise ValueError("not details of a record")
            hashed += (packed[at:kind], told)
            at = after
    except (IndexError, struct.error) as error:
        raise ValueError("not details of a record") from error
    if at > end:
        raise ValueError("details of a record are cut off")
    return _sha256(b"".join(hashed)).hexdigest()


def redact(packed: bytes, names: frozenset[str]) -> bytes:
    """The same without the values of these; the hash of the whole stays what it was."""
    made = bytearray()
    for detail in unpack(packed):
        if detail.name in names or detail.commitment:
            made += _name(detail.name) + _REDACTED + detail.hash
        else:
            made += _name(detail.name) + _WHOLE + detail.salt + _LENGTH.pack(len(detail.value)) + detail.value
    return bytes(made)


def record_of(header: bytes, packed: bytes) -> AuditRecord:
    """A record as it was stored; a ValueError where it is none."""
    fields: dict[str, Any] = json.loads(header)
    details = list(unpack(packed))
    try:
        entry = AuditEntry(**{name: fields[name] for name in _COMMON}, details={
            detail.name: json.loads(detail.value) for detail in details if not detail.commitment})
        return AuditRecord(
            seq=fields["seq"], time=fields["time"], entry=entry, previous=fields["previous"],
            hash=leaf_hash(header).hex(), details_hash=fields["details"], clock_back=fields.get("clock_back", 0.0),
            redacted=tuple(detail.name for detail in details if detail.commitment))
    except (KeyError, TypeError) as error:
        raise ValueError(f"not a record: {error}") from error


@functools.lru_cache(maxsize=1000)
def _name(name: str) -> bytes:
    data = name.encode("utf-8", "replace")
    if not 0 < len(data) <= _MOST_NAME:
        raise UsageError(f"details: a name has from 1 to {_MOST_NAME} bytes", field="details")
    return bytes([len(data)]) + data


def _plain(name: str, value: object) -> bytes:
    try:
        try:
            return _encode(value).encode("ascii")
        except ValueError:
            return _encode(_finite(value)).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"details: {name} is not plain JSON: {error}", field="details") from error


def _finite(value: object) -> object:
    """The same with texts for numbers that JSON does not have: what was asked for must not keep its record away."""
    if isinstance(value, Mapping):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _checked(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name}: not text: {type(value).__name__}", field=name)
    more = len(value) - _MOST_TEXT
    return value if more <= 0 else f"{value[:_MOST_TEXT]}[{more} more]"
