"""One place where something said of the code does not fit it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """What does not fit."""

    MISSING_SYMBOL = "missing-symbol"
    CHANGED_SIGNATURE = "changed-signature"
    MISSING_OPTION = "missing-option"
    DEAD_CONFIGURATION = "dead-configuration"
    MISSING_STEP = "missing-step"
    MISSING_EXPORT = "missing-export"
    UNKNOWN_PARAMETER = "unknown-parameter"


@dataclass(frozen=True, slots=True, kw_only=True)
class Discrepancy:
    """Where it is said, what of, and what is the matter."""

    kind: Kind
    path: str
    line: int
    name: str
    message: str
