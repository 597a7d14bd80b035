"""Bounded, printable text out of whatever a program wrote, and numbers and places out of text."""

from __future__ import annotations

import re

from windtunnel.core.problem import Place

MOST_TEXT = 256 * 1024
"""Characters read of one stream: the first half from its head, the second from its tail."""
MOST_LINE = 2000
"""Characters read of one line; the rest of a longer one is left out."""

_DIGITS = 9
_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[@-~]?")
# Control and direction characters: they would move the cursor or reorder the words of whoever prints a message.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"
    "\N{LEFT-TO-RIGHT EMBEDDING}-\N{RIGHT-TO-LEFT OVERRIDE}"
    "\N{LEFT-TO-RIGHT ISOLATE}-\N{POP DIRECTIONAL ISOLATE}\ud800-\udfff]"
)


def tidy(text: str) -> str:
    """The head and tail of the text without colours and control characters."""
    if len(text) > MOST_TEXT:
        text = f"{text[: MOST_TEXT // 2]}\n{text[-MOST_TEXT // 2 :]}"
    return _CONTROLS.sub("", _ESCAPES.sub("", text))


def lines(text: str) -> list[str]:
    """The lines, each of bounded length."""
    return [line[:MOST_LINE] for line in text.split("\n")]


def last_line(text: str) -> str:
    """The last line with something on it, or nothing."""
    return text.rstrip().rpartition("\n")[2].strip()[:MOST_LINE]


def number(text: str) -> int | None:
    """A line or column; None for what is not one, however long it is."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None


def location(text: str, *, symbol: str | None = None) -> Place | None:
    """A place from ``file:line:column`` or ``file:line``; None when there is no line."""
    text = text.removeprefix("file://").removeprefix("./")
    head, _, last = text.rpartition(":")
    file, _, middle = head.rpartition(":")
    if file and number(middle) is not None and number(last) is not None:
        return Place(file=file, line=number(middle), column=number(last), symbol=symbol)
    if head and number(last) is not None:
        return Place(file=head, line=number(last), symbol=symbol)
    return None
