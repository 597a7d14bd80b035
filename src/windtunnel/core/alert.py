"""What a watch over the audit log has to say to a person."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

MOST_RECORDS = 20
"""Records named by one alert; how many there were is among its figures."""
_MOST_MESSAGE, _MOST_WORD, _MOST_FIGURES = 500, 120, 12
_ID_LETTERS = 32


class Severity(StrEnum):
    """How soon a person should look; from the least to the most."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    def at_least(self, other: Severity) -> bool:
        """Whether it is no less than that."""
        return list(Severity).index(self) >= list(Severity).index(other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One record that made a rule fire."""

    seq: int
    id: str
    """Of its act."""

    def __post_init__(self) -> None:
        """Bound what a record calls itself."""
        object.__setattr__(self, "id", one_line(self.id, most=_MOST_WORD))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """One firing of one rule.

    What holds: no text in it has a line break, a control character or a direction mark, whatever the records held; its
    size is bounded; the same records give the same id.
    """

    rule: str
    severity: Severity
    subject: str
    """Who or what it is about: an actor, a project, an act."""
    message: str
    """One sentence."""
    records: tuple[Evidence, ...] = ()
    """The newest last, at most ``MOST_RECORDS``."""
    figures: Mapping[str, int | float | str] = field(default_factory=dict)
    """What was compared with what."""
    time: str = ""
    """Of the newest record."""
    id: str = ""
    """Made of the rest, so that a receiver can tell an alert that comes twice."""

    def __post_init__(self) -> None:
        """Make every text one bounded line, and the id."""
        put = object.__setattr__
        put(self, "subject", one_line(self.subject, most=_MOST_WORD))
        put(self, "message", one_line(self.message, most=_MOST_MESSAGE))
        put(self, "time", one_line(self.time, most=_MOST_WORD))
        put(self, "records", tuple(self.records[-MOST_RECORDS:]))
        put(self, "figures", {one_line(name, most=_MOST_WORD): _figure(value)
                              for name, value in list(self.figures.items())[:_MOST_FIGURES]})
        put(self, "id", self._made_id())

    def _made_id(self) -> str:
        said = [self.rule, self.subject, self.time, [[one.seq, one.id] for one in self.records]]
        return hashlib.sha256(json.dumps(said).encode()).hexdigest()[:_ID_LETTERS]


def one_line(text: str, *, most: int) -> str:
    """Bounded, printable, on one line; what was left out is said by an ellipsis."""
    kept = text if len(text) <= most else f"{text[:most - 1]}…"
    return kept if kept.isprintable() else "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in kept)


def _figure(value: float | str) -> int | float | str:
    return one_line(value, most=_MOST_WORD) if isinstance(value, str) else value
