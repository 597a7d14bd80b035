"""One line of the history about a change: that it was tried, ranked, applied or taken back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeAlias

from windtunnel.core.randomness import fresh_id

Verb: TypeAlias = Literal["try", "rank", "apply", "undo"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Deed:
    """What is remembered of it; contents are told by the digest of the change, and secrets are masked already."""

    verb: Verb
    project: str
    verdict: str
    """``good`` or ``not good``, of a race the best one's; ``applied`` or ``undone`` where the project was written."""
    change: str = ""
    """The digest of the change; of a rank, the best one's."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many files, tests, findings … of each kind; what is not named was not looked at."""
    reasons: tuple[str, ...] = ()
    level: str = ""
    execution_time: float | None = None
    """Wall seconds."""
    part_of: str = ""
    """The id of what it belongs to: the rank of a candidate, the trial of what was applied or taken back."""
    id: str = field(default_factory=fresh_id)
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))
