"""What is wrong with a log, in one form."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """The first thing that is wrong."""

    seq: int
    """Which record; the size of the log where it is cut short; -1 where it is none of the records."""
    kind: str
    """``edited``, ``deleted``, ``moved``, ``doubled``, ``added``, ``cut``, ``replaced``, ``damaged`` or ``foreign``."""
    message: str
