"""The resolver of a simulated outside: every name has an address, and always the same one.

A question of type A is answered with an address of 198.18.0.0/15, which is set aside for measurements and belongs to
nobody, made from the name alone. Every other question is answered with nothing.
"""

from __future__ import annotations

import hashlib
import struct

RESOLVER = "198.18.0.1"
LONGEST_NAME = 255
_HEAD = struct.Struct(">HHHHHH")
_IS_ANSWER, _OPERATION, _RECURSION_WANTED, _RECURSION = 0x8000, 0x7800, 0x0100, 0x0080
_FORMAT_ERROR, _SERVER_FAILURE = 1, 2
_TYPE_A, _INTERNET = 1, 1
_SECONDS = 60
_QUESTION_AT = struct.pack(">H", 0xC000 | _HEAD.size)


def address_of(name: str) -> str:
    """198.(18 or 19).(any).(2 to 253), by the SHA-256 of the name in lower case without its last dot."""
    digest = hashlib.sha256(name.lower().rstrip(".").encode("utf-8", "replace")).digest()
    return f"198.{18 + digest[0] % 2}.{digest[1]}.{2 + digest[2] % 252}"


def answer(query: bytes, *, fail: bool = False) -> tuple[bytes, str]:
    """What the resolver says and the name it was asked for; nothing at all to what is no question.

    With ``fail`` it says of each question that it cannot answer it.
    """
    if len(query) < _HEAD.size:
        return b"", ""
    number, flags, questions, *_ = _HEAD.unpack_from(query)
    if flags & (_IS_ANSWER | _OPERATION):
        return b"", ""
    said = _IS_ANSWER | _RECURSION | flags & _RECURSION_WANTED
    name, end = _name(query)
    if questions != 1 or not end or len(query) < end + 4:
        return _HEAD.pack(number, said | _FORMAT_ERROR, 0, 0, 0, 0), ""
    question = query[_HEAD.size:end + 4]
    if fail:
        return _HEAD.pack(number, said | _SERVER_FAILURE, 1, 0, 0, 0) + question, name
    record = _record(name) if question[-4:] == struct.pack(">HH", _TYPE_A, _INTERNET) else b""
    return _HEAD.pack(number, said, 1, bool(record), 0, 0) + question + record, name


def _record(name: str) -> bytes:
    packed = bytes(int(part) for part in address_of(name).split("."))
    return _QUESTION_AT + struct.pack(">HHIH", _TYPE_A, _INTERNET, _SECONDS, len(packed)) + packed


def _name(query: bytes) -> tuple[str, int]:
    """The name of the first question and where it ends; an end of zero for one that cannot be read."""
    labels: list[str] = []
    place = _HEAD.size
    while place < len(query) and place - _HEAD.size < LONGEST_NAME:
        length = query[place]
        if length == 0:
            return ".".join(labels), place + 1
        if length > 63 or place + length >= len(query):  # noqa: PLR2004 -- longer ones are pointers
            break
        labels.append("".join(map(_shown, query[place + 1:place + 1 + length])))
        place += length + 1
    return "", 0


def _shown(byte: int) -> str:
    """What a record can show; whatever else is in a name is the same to us."""
    return chr(byte) if 0x21 <= byte < 0x7F else "?"  # noqa: PLR2004 -- printable ASCII without the space
