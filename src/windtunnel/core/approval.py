"""What a person is asked to agree to, and what they said."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class State(StrEnum):
    """Where a question stands."""

    REQUESTED = "requested"
    APPROVED = "approved"
    DENIED = "denied"
    EXPIRED = "expired"
    USED = "used"
    """Approved, and done: one approval lets one act go on, once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Approval:
    """One question, bound to exactly what was asked."""

    id: str
    verb: str
    requester: str
    digest: str
    """SHA-256 of all that is to be done; anything else needs another approval."""
    summary: str
    """One line for the person who decides."""
    rule: str
    policy: str
    """SHA-256 of the policy that asks."""
    reason: str
    requested: str
    """UTC, as all times here."""
    expires: str
    state: State
    project: str = ""
    self_approval: bool = False
    """Whether the requester may decide it."""
    decided_by: str = ""
    decided: str = ""
    note: str = ""
