"""Text for people: tables, colours where the terminal has them, and nothing hostile let through."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from typing import IO

from windtunnel.core.plain import plain

_COLOURS = {"red": "31", "green": "32", "yellow": "33", "grey": "90", "bold": "1"}


def json_text(value: object) -> str:
    """As JSON."""
    return json.dumps(value, default=plain, indent=2)


def colour(text: str, name: str, *, file: IO[str] | None = None) -> str:
    """In colour where it is seen by a person."""
    stream = file or sys.stdout
    if "NO_COLOR" in os.environ or not stream.isatty():
        return text
    return f"\x1b[{_COLOURS[name]}m{text}\x1b[0m"


def clean(text: str) -> str:
    """Without control characters, which could rewrite what a terminal shows."""
    return "".join(char if char.isprintable() or char == " " else "\N{REPLACEMENT CHARACTER}" for char in text)


def error(message: str) -> None:
    """One line on standard error."""
    print(f"{colour('windtunnel:', 'red', file=sys.stderr)} {clean(message)}", file=sys.stderr)


def table(rows: Sequence[Sequence[str]], *, head: Sequence[str]) -> str:
    """Columns as wide as they need to be; the last may run on."""
    cells = [list(map(clean, row)) for row in rows]
    widths = [max(len(row[at]) for row in [list(head), *cells]) for at in range(len(head))]
    lines = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip()
             for row in [list(head), *cells]]
    return "\n".join([colour(lines[0], "bold"), *lines[1:]])


def size(count: int | None) -> str:
    """Bytes as people say them."""
    if count is None:
        return "-"
    for unit in ("B", "KiB", "MiB"):
        if count < 1024:  # noqa: PLR2004
            return f"{count:.0f} {unit}"
        count /= 1024  # type: ignore[assignment]
    return f"{count:.1f} GiB"


def seconds(value: float | None) -> str:
    """A duration as people say it."""
    if value is None:
        return "-"
    return f"{value * 1000:.1f} ms" if value < 1 else f"{value:.2f} s"


def tell(line: str) -> None:
    """What is going on, for whoever waits for it."""
    print(colour(clean(line), "grey", file=sys.stderr), file=sys.stderr, flush=True)
