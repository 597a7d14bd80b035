"""Budgets: how much may be used in all, by whom, in which time, and how they stand.

Amounts are whole millionths of their unit (a second, an act, a dollar), so that nothing is lost by rounding.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import ROUND_CEILING, Decimal, InvalidOperation
from enum import StrEnum

from windtunnel.core.errors import UsageError

MILLION = 1_000_000
MOST = 10**9
"""The most of anything that one budget or one spending may name, in units."""
TIMES = ("wall_seconds", "cpu_seconds")
ACTS = "acts"
MONEY = "money "
"""How kinds of money begin; the currency follows."""
_AMOUNT = re.compile(r"([0-9]{1,10}(?:\.[0-9]{1,18})?) ([A-Z]{2,8})")


class Scope(StrEnum):
    """Whose use is counted together."""

    TOTAL = "total"
    """All that anybody does with this state folder."""
    PROJECT = "project"
    ACTOR = "actor"
    SESSION = "session"


class Window(StrEnum):
    """How often a budget begins anew; all by the calendar of UTC, weeks on Mondays."""

    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"

    def around(self, moment: datetime) -> tuple[datetime, datetime]:
        """Its beginning and its end."""
        hour = moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)
        day = hour.replace(hour=0)
        if self is Window.HOUR:
            return hour, hour + timedelta(hours=1)
        if self is Window.DAY:
            return day, day + timedelta(days=1)
        if self is Window.WEEK:
            monday = day - timedelta(days=day.weekday())
            return monday, monday + timedelta(days=7)
        first = day.replace(day=1)
        return first, (first + timedelta(days=32)).replace(day=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """One budget as a policy states it."""

    id: str
    scope: Scope
    amounts: Mapping[str, int]
    """Millionths by kind: ``wall_seconds``, ``cpu_seconds``, ``acts``, ``money USD``."""
    per: Window | None = None
    """None counts for ever."""
    policy: str = ""
    """SHA-256 of the policy that it is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A budget with the one whose use counts."""

    allowance: Allowance
    name: str
    """Of the actor, project or session; empty for the total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """How one kind of one budget stands; amounts in millionths."""

    budget: str
    scope: Scope
    name: str
    kind: str
    amount: int
    spent: int
    reserved: int
    """Held by what is under way."""
    per: Window | None = None
    until: str = ""
    """When it begins anew, UTC; empty for one that never does."""
    policy: str = ""

    @property
    def left(self) -> int:
        """What can still be reserved; never below zero."""
        return max(0, self.amount - self.spent - self.reserved)

    def told(self) -> str:
        """In words, for a message."""
        whose = f" of the {self.scope} {self.name}" if self.name else ""
        reserved = said(self.kind, self.reserved)
        held = f" and {reserved} reserved until what is under way has ended" if self.reserved else ""
        again = f"; it begins anew at {self.until}" if self.until else "; it never begins anew"
        return (f"the budget {self.budget}{whose} has {said(self.kind, self.spent)} spent{held} of "
                f"{said(self.kind, self.amount)}{again}")


def money(text: str, *, field: str = "money") -> tuple[str, int]:
    """The kind and the millionths of ``5.00 USD``; less than a millionth counts as a whole one."""
    match = _AMOUNT.fullmatch(text) if isinstance(text, str) else None
    amount = millionths(match[1]) if match else None
    if match is None or amount is None:
        shown = repr(text)[:60] if isinstance(text, str) else type(text).__name__
        raise UsageError(f"{field}: not an amount of money: {shown} (try '5.00 USD'; at most {MOST})", field=field)
    return f"{MONEY}{match[2]}", amount


def millionths(amount: str | float) -> int | None:
    """Rounded up; none for what is no number from 0 to the most."""
    try:
        # The text of a number is what was written; its binary value is something else.
        exact = Decimal(str(amount))
    except InvalidOperation:
        return None
    if not exact.is_finite() or not 0 <= exact <= MOST:
        return None
    return int((exact * MILLION).to_integral_value(rounding=ROUND_CEILING))


def said(kind: str, amount: int) -> str:
    """An amount as people say it."""
    number = f"{Decimal(amount) / MILLION:f}"
    number = number.rstrip("0").rstrip(".") if "." in number else number
    if kind.startswith(MONEY):
        return f"{number} {kind.removeprefix(MONEY)}"
    return f"{number} {kind.replace('_', ' ')}"
