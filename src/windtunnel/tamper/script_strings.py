"""Texts of a script, also those that it puts together or decodes where they stand."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterator
from functools import lru_cache

from windtunnel.tamper.script import Script

MOST_DECODED = 4_000
_DECODERS = frozenset(("atob", "from", "unescape", "decodeURIComponent"))
_LAST = 0x10FFFF


@lru_cache(maxsize=32)
def texts(script: Script) -> tuple[tuple[int, str], ...]:
    """Each text with the index where it starts: written out, added up, joined, reversed, decoded, from codes."""
    return tuple(_texts(script))


def _texts(script: Script) -> Iterator[tuple[int, str]]:
    for index, word in enumerate(script.words):
        if word.kind == "string":
            yield from _written(script, index)
        elif word.kind == "mark" and word.text == "[":
            yield from _listed(script, index)
        elif word.kind == "name" and word.text in ("fromCharCode", "fromCodePoint"):
            yield from _codes(script, index)
        elif word.kind == "pattern":
            yield index, word.text


def texts_in(script: Script, start: int, end: int) -> list[str]:
    """The texts that start in a span."""
    return [text for index, text in texts(script) if start <= index < end]


def _written(script: Script, index: int) -> Iterator[tuple[int, str]]:
    text, end = script.added(index)
    if script.text(index - 1) == "+" and script.string(index - 2) is not None:
        return
    yield index, text
    if [script.text(at) for at in range(end, end + 3)] == [".", "split", "("] and "reverse" in _after(script, end):
        yield index, text[::-1]
    if script.text(index - 1) == "(" and script.text(index - 2) in _DECODERS and len(text) <= MOST_DECODED:
        yield from ((index, decoded) for decoded in _decoded(text, script.string(index + 2) or "base64"))


def _after(script: Script, index: int) -> set[str]:
    return {script.text(at) for at in range(index, index + 12)}


def _decoded(text: str, kind: str) -> Iterator[str]:
    try:
        data = bytes.fromhex(text) if kind == "hex" else base64.b64decode(text, validate=True)
        yield data.decode()
    except (ValueError, binascii.Error):
        return


def _listed(script: Script, index: int) -> Iterator[tuple[int, str]]:
    """``["a", "b"].join("")``."""
    end = script.closing(index)
    inside = script.words[index + 1 : end : 2]
    if script.text(end + 2) == "join" and script.text(end + 1) == "." and all(each.kind == "string" for each in inside):
        between = script.string(end + 4)
        yield index, ("," if between is None else between).join(each.text for each in inside)


def _codes(script: Script, index: int) -> Iterator[tuple[int, str]]:
    inside = [word.text for word in script.words[index + 2 : script.closing(index + 1)] if word.kind == "number"]
    codes = [int(text) for text in inside[:MOST_DECODED] if text.isdecimal()]
    if codes and all(code <= _LAST for code in codes):
        yield index, "".join(map(chr, codes))
