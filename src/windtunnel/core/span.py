"""Spans of time as people write them: ``90s``, ``12h``, ``30d``, ``8w``."""

from __future__ import annotations

import re
from dataclasses import dataclass

from windtunnel.core.errors import UsageError

_SPAN = re.compile(r"([0-9]{1,6})([smhdw])")
_UNITS = {"w": 604_800, "d": 86_400, "h": 3600, "m": 60, "s": 1}
_MOST_SECONDS = 200 * 365 * 86_400


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """So long."""

    seconds: int

    def __str__(self) -> str:
        """As people write it, in the largest unit that fits."""
        letter, size = next((letter, size) for letter, size in _UNITS.items() if self.seconds % size == 0)
        return f"{self.seconds // size}{letter}" if self.seconds else "0s"


def parse_span(text: object, *, field: str | None = None) -> Span:
    """A span; a typed error for anything else."""
    match = _SPAN.fullmatch(text) if isinstance(text, str) and text.isascii() else None
    span = Span(int(match[1]) * _UNITS[match[2]]) if match else None
    if span is None or span.seconds > _MOST_SECONDS:
        prefix = f"{field}: " if field else ""
        raise UsageError(f"{prefix}{str(text)[:60]!a} is not a span of time (try 12h, 30d or 8w)", field=field)
    return span


def moment_before(span: Span) -> str:
    """The time so long ago, in the form of ``AuditRecord.time``."""
    from datetime import UTC, datetime, timedelta  # noqa: PLC0415 -- settings are read by all, and few ask for times

    return (datetime.now(UTC) - timedelta(seconds=span.seconds)).isoformat(timespec="microseconds")
