"""File names as patches write them: quoted, prefixed, dated."""

from __future__ import annotations

import re

_ESCAPES = {b"a": 7, b"b": 8, b"t": 9, b"n": 10, b"v": 11, b"f": 12, b"r": 13, b'"': 34, b"\\": 92}
_ESCAPE = re.compile(rb'\\([0-3][0-7]{2}|[abtnvfr"\\])')
_QUOTED = re.compile(rb'"((?:[^"\\]|\\.)*)"')
_DATE = re.compile(rb"\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d.*$")
_EPOCH = re.compile(rb"\t(1970-01-01|1969-12-31) ")
_PREFIXES = frozenset("abciwo12")
NOTHING = "/dev/null"


def unquote(name: bytes) -> bytes:
    """What stands between C's quotation marks."""
    return _ESCAPE.sub(lambda found: bytes([_ESCAPES.get(found[1], 0) or int(found[1], 8)]), name)


def quote(name: str) -> bytes:
    """As git writes it: in quotation marks when a byte is not plain ASCII."""
    data = name.encode()
    if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in data):  # noqa: PLR2004 -- printable ASCII
        return data
    plain = (bytes([byte]) if 0x20 <= byte < 0x7F and byte not in b'"\\'  # noqa: PLR2004 -- printable ASCII
             else b"\\%03o" % byte for byte in data)
    return b'"' + b"".join(plain) + b'"'


def name_of(text: bytes) -> str:
    """The name in what follows ``---``, ``+++`` or ``rename from``; bytes that are not UTF-8 become surrogates."""
    text = text.rstrip(b"\r\n")
    if quoted := _QUOTED.match(text):
        name = unquote(quoted[1])
    else:
        name = text.split(b"\t")[0] if b"\t" in text else _DATE.sub(b"", text)
    return name.decode("utf-8", "surrogateescape")


def is_epoch(text: bytes) -> bool:
    """Whether its date is the beginning of time, by which ``diff -N`` says that there is no file."""
    return _EPOCH.search(text) is not None


def header_names(text: bytes) -> tuple[str, str] | None:
    """Both names of ``diff --git A B``; None where blanks leave open where one ends."""
    text = text.rstrip(b"\r\n")
    if text.startswith(b'"') or text.endswith(b'"'):
        return _quoted_names(text)
    names = text.decode("utf-8", "surrogateescape")
    blanks = [place for place, letter in enumerate(names) if letter == " "]
    pairs = [(names[:place], names[place + 1 :]) for place in blanks]
    same = [pair for pair in pairs if len(set(without_prefix(*pair))) == 1]
    return same[0] if len(same) == 1 else pairs[0] if len(pairs) == 1 else None


def _quoted_names(text: bytes) -> tuple[str, str] | None:
    if first := _QUOTED.match(text):
        return name_of(text), name_of(text[first.end() :].lstrip())
    before, _, after = text.partition(b' "')
    return (name_of(before), name_of(b'"' + after)) if after else None


def without_prefix(old: str, new: str) -> tuple[str, str]:
    """Both names without git's ``a/`` and ``b/`` (or ``i/``, ``w/`` …), if they have them.

    Two equal names have none: a project may have a folder called ``a``.
    """
    pair = [name for name in (old, new) if name != NOTHING]
    prefixed = all(name[1:2] == "/" and name[0] in _PREFIXES for name in pair)
    different = len({name[:2] for name in pair}) == len(pair)
    if not (pair and prefixed and different):
        return old, new
    return (old if old == NOTHING else old[2:]), (new if new == NOTHING else new[2:])
