"""Bounded, printable lines out of whatever a tool wrote: no colours, no carriage returns, no log keeper's prefixes."""

from __future__ import annotations

import re

MOST_TEXT = 2 * 1024**2
"""Characters read of one output: the first half from its head, the second from its tail."""
MOST_LINE = 4000
MOST_LINES = 40_000
LEFT_OUT = "[…]"
"""Stands where the middle was left out."""

_DIGITS = 9
_FEW_LINES = 3
_ESCAPES = re.compile(r"\x1b(?:\[[0-9;?:]{0,40}[@-~]?|\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)?|[()][A-Z0-9]|[=>78])")
# Control and direction characters: they would move the cursor or reorder the words of whoever prints a message.
_CONTROLS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}"
    "\N{LEFT-TO-RIGHT EMBEDDING}-\N{RIGHT-TO-LEFT OVERRIDE}"
    "\N{LEFT-TO-RIGHT ISOLATE}-\N{POP DIRECTIONAL ISOLATE}\ud800-\udfff\N{ZERO WIDTH NO-BREAK SPACE}]"
)
_KEEPERS = (
    re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d) "),
    re.compile(r"[A-Za-z][\w.-]{0,60}[-_]\d{1,4} {1,20}\| ?"),
    re.compile(r"##\[\w{1,10}\]"),
)
"""What keepers of logs put before each line: a time, the name of a container, a mark of a build server."""


def tidy(text: str) -> list[str]:
    """The lines, each of bounded length, without what only colours or moves them."""
    if len(text) > MOST_TEXT:
        text = f"{text[: MOST_TEXT // 2]}\n{LEFT_OUT}\n{text[-MOST_TEXT // 2 :]}"
    text = _ESCAPES.sub("", text).replace("\r\n", "\n").replace("\r", "\n")
    lines = [line[:MOST_LINE] for line in _CONTROLS.sub("", text).split("\n")]
    if len(lines) > MOST_LINES:
        lines = [*lines[: MOST_LINES // 2], LEFT_OUT, *lines[-MOST_LINES // 2 :]]
    return _unprefixed(lines)


def _unprefixed(lines: list[str]) -> list[str]:
    """Without a prefix that most lines have."""
    told = [line for line in lines if line.strip()]
    for keeper in _KEEPERS:
        if len(told) >= _FEW_LINES and sum(keeper.match(line) is not None for line in told) * 2 > len(told):
            lines = [keeper.sub("", line, count=1) for line in lines]
    return lines


def number(text: str | None) -> int | None:
    """A line or column; None for what is not one, however long it is."""
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) <= _DIGITS else None
