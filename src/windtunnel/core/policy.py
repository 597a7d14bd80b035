"""What is asked, and what a policy says to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from enum import StrEnum
from typing import Literal, TypeAlias, get_args

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Network
from windtunnel.core.result import Level

Risk: TypeAlias = Literal["low", "medium", "high"]
_MOST_VERB = 64


class Effect(StrEnum):
    """What becomes of a request, mildest first."""

    ALLOW = "allow"
    ASK = "ask"
    """It waits for a person."""
    DENY = "deny"

    @property
    def rank(self) -> int:
        """More is stricter."""
        return _RANKS[self]


_RANKS = {effect: rank for rank, effect in enumerate(Effect)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One thing that someone wants done."""

    verb: str
    """``run``, ``try``, ``apply``, ``undo``, ``image build`` … or the name of a server's tool."""
    actor: str = ""
    roles: tuple[str, ...] = ()
    project: str = ""
    paths: tuple[str, ...] = ()
    """What a change touches, relative to the project; empty when there is no change."""
    languages: tuple[str, ...] = ()
    level: Level | None = None
    """The walls asked for; none where that is left to us."""
    network: Network = field(default_factory=Network)
    limits: Limits | None = None
    """What the run asks for; none when it asks for nothing and takes what it gets."""
    change_files: int = 0
    change_lines: int = 0
    """Added and removed together."""
    risk: Risk = "low"
    """As the caller judges it; a policy may believe it or not."""
    commands: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Refuse what rules could not be held against."""
        if not isinstance(self.verb, str) or not 0 < len(self.verb) <= _MOST_VERB or not self.verb.isprintable():
            raise UsageError(f"verb: not a verb: {self.verb!r:.80} (try run or apply)", field="verb")
        if self.risk not in get_args(Risk):
            raise UsageError(f"risk: not low, medium or high: {self.risk!r:.60}", field="risk")
        for name in ("change_files", "change_lines"):
            if type(getattr(self, name)) is not int or getattr(self, name) < 0:
                raise UsageError(f"{name}: not a number of 0 or more: {getattr(self, name)!r:.60}", field=name)
        for path in self.paths:
            if not path or "\0" in path or not {"", ".", ".."}.isdisjoint(path.split("/")):
                raise UsageError(f"paths: not a plain relative path: {path!r:.200}", field="paths")


@dataclass(frozen=True, slots=True, kw_only=True)
class Looked:
    """One rule that was looked at on the way to a decision."""

    rule: str
    effect: Effect
    matched: bool
    why: str
    policy: str
    """The file that the rule is in."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """What the policies say to one request."""

    effect: Effect
    rule: str
    """The id of the rule that decided, or ``no policy``, ``default``, ``min_isolation``, ``caps.NAME``."""
    reason: str
    """One sentence for a person."""
    policy: str = ""
    """SHA-256 of the policy's text in hex; of several, that of their hashes, a line each; empty without any."""
    min_isolation: Level | None = None
    """The weakest walls that will do; none where no policy says."""
    caps: Mapping[str, float] = field(default_factory=dict)
    """Ceilings by the names of ``Limits``; those not named have none here."""
    explanation: tuple[Looked, ...] = ()
    """In the order they were looked at; none after a rule that denies."""

    def lowered(self, limits: Limits) -> Limits:
        """Limits that nobody asked for in so many words, brought down to the ceilings."""
        return replace(limits, **{
            name: most if name in _FRACTIONS else int(most) for name, most in self.caps.items()
            if asked(limits, name) > most})  # type: ignore[arg-type]  # whole numbers where they must be


_FRACTIONS = frozenset({"wall_seconds", "cpu_seconds", "cores"})
LIMIT_NAMES = tuple(limit.name for limit in fields(Limits))


def over(limits: Limits, caps: Mapping[str, float]) -> str | None:
    """The first limit that asks for more than its ceiling."""
    return next((name for name, most in caps.items() if asked(limits, name) > most), None)


def asked(limits: Limits, name: str) -> float:
    """How much of it."""
    value: float | None = getattr(limits, name)
    # No limit of processor time means as much as fits into the wall time.
    return limits.wall_seconds * limits.cores if value is None else value


NO_POLICY = Decision(effect=Effect.ALLOW, rule="no policy", reason="there is no policy here")
"""The answer where nobody wrote one."""
