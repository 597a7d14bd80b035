"""What can be made of the inputs of a test: lengths, codes, digests, keys put together, patterns that they fit."""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterator

MOST_LONG = 400
"""Characters of a text that is a sample; a longer one is a document."""
LEAST_SKELETON = 4
"""Plain signs of a pattern that tell a text apart."""
COVERED = 0.6
"""The part of a text that a pattern spells out, from which it was made for it."""
LEAST_DIGEST = 6
_CLASS = re.compile(
    r"\\[sSdDwWbBAZzpP](?:\{[^}]*\})?[*+?]?|\[(?:[^\]\\]|\\.)*\](?:\{[^}]*\})?[*+?]?|\.[*+?]?|\(\?[:=!<P][^)]{0,2}"
)
_ESCAPE = re.compile(r"\\(.)")
_SPECIAL = re.compile(r"(?<!\\)[\^$*+?(){}|]")
_DIGEST = re.compile(r"[0-9a-fA-F]{6,128}")
_PART = re.compile(r"-?\d+(?:\.\d+)?|[^\W\d_][^\W_]*")
_ALGORITHMS = ("md5", "sha1", "sha224", "sha256", "sha384", "sha512", "blake2b", "blake2s")


def numbers_of(text: str) -> set[float]:
    """What numbers a text is turned into without much ado."""
    codes = [ord(sign) for sign in text[:MOST_LONG]]
    return {len(text), sum(codes), codes[0], codes[-1], len(text.split())} if codes else set()


def skeleton(pattern: str) -> str:
    """The signs that a pattern spells out, without spaces; nothing is matched, so no pattern can take long."""
    plain = _CLASS.sub("", pattern[:MOST_LONG])
    plain = _SPECIAL.sub("", plain)
    return "".join(_ESCAPE.sub(r"\1", plain).split())


def spells(signs: str, text: str) -> bool:
    """Whether these signs are most of a text, in its order."""
    squeezed = "".join(text[:MOST_LONG].split())
    if len(signs) < LEAST_SKELETON or len(signs) < len(squeezed) * COVERED:
        return False
    rest = iter(squeezed)
    return all(sign in rest for sign in signs)


def is_digest(text: str) -> bool:
    """Whether a text could be one."""
    return bool(_DIGEST.fullmatch(text)) and (any(map(str.isdigit, text)) or len(text) > LEAST_DIGEST * 2)


def digests_of(text: str) -> Iterator[str]:
    """The usual digests of a text, in small letters."""
    for form in (text, repr(text), json.dumps(text), json.dumps([text])):
        data = form.encode("utf-8", "surrogatepass")
        yield from (hashlib.new(name, data, usedforsecurity=False).hexdigest() for name in _ALGORITHMS)
        yield from (f"{sum_(data):08x}" for sum_ in (zlib.crc32, zlib.adler32))


def parts_of(text: str) -> list[str]:
    """The words and numbers that a key is put together of, as canonical texts and as names."""
    return _PART.findall(text[:MOST_LONG])
