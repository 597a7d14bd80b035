"""How much one caller may ask for: so many calls in a while, so many in a day, so many sessions at once."""

from __future__ import annotations

import math
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from windtunnel.core.keys import Busy
from windtunnel.core.randomness import fresh_id

_MOST_BUCKETS = 100_000
_IDLE_SECONDS = 1800.0
"""A session that nobody used for so long no longer counts."""


class Buckets:
    """One token bucket for each key: it fills at a rate, and holds a burst."""

    def __init__(self, *, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        """``rate`` in calls a second."""
        self.rate, self.burst, self._clock = rate, burst, clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def take(self, name: str) -> None:
        """One call; ``Busy`` where there is none left, with when there will be."""
        with self._lock:
            now = self._clock()
            level, seen = self._levels.pop(name, (self.burst, now))
            level = min(self.burst, level + (now - seen) * self.rate)
            enough = level >= 1
            self._levels[name] = (level - 1 if enough else level, now)
            if len(self._levels) > _MOST_BUCKETS:
                self._levels.popitem(last=False)
        if not enough:
            wait = math.ceil((1 - level) / self.rate)
            raise Busy(f"rate: more than {self.rate:g} calls a second", retry_seconds=wait)


@dataclass(slots=True, kw_only=True)
class _Session:
    id: str = field(default_factory=fresh_id)
    begun: float
    used: float


class Sessions:
    """Who is here: a session begins with a first call, and ends when it is old or nobody uses it."""

    def __init__(self, *, hours: float = 24.0, most: int = 1000, clock: Callable[[], float] = time.monotonic) -> None:
        """``hours`` from its beginning a session ends; at most ``most`` are open at once, over all users."""
        self.seconds, self.most, self._clock = hours * 3600, most, clock
        self._open: dict[tuple[str, str], _Session] = {}
        self._lock = threading.Lock()

    def enter(self, user: str, name: str = "") -> str:
        """The id of the session of this user's connection; ``Busy`` where there are too many."""
        with self._lock:
            now = self._clock()
            found = self._open.get((user, name))
            if found is not None and self._is_open(found, now):
                found.used = now
                return found.id
            self._open = {key: one for key, one in self._open.items() if self._is_open(one, now)}
            if len(self._open) >= self.most:
                raise Busy(f"sessions: {self.most} are open already", retry_seconds=60.0)
            made = self._open[user, name] = _Session(begun=now, used=now)
            return made.id

    def count(self) -> int:
        """How many are open."""
        with self._lock:
            now = self._clock()
            return sum(self._is_open(one, now) for one in self._open.values())

    def _is_open(self, one: _Session, now: float) -> bool:
        return now - one.begun < self.seconds and now - one.used < min(_IDLE_SECONDS, self.seconds)
