"""When packets arrive: one direction of a link, as arithmetic without a clock.

For each packet of ``size`` bytes (its IP header included) that comes at ``now``:

- with the chance ``loss`` it never arrives; else with the chance ``duplication`` there are two of it;
- with a rate, each of these leaves at ``free = max(free, now) + 8 * size / rate_bits``, else at once; one that would
  wait for longer than the line holds (0.2 s, and at least 64 KiB) is dropped;
- with the chance ``reordering`` it arrives as it leaves; else after ``max(0, N(delay, jitter))`` seconds more.
"""

from __future__ import annotations

import random

from windtunnel.core.scenario import Link

HELD_SECONDS = 0.2
HELD_BYTES = 64 * 1024


class Lane:
    """One direction; the same seed and the same packets have the same fates."""

    def __init__(self, link: Link, *, seed: str) -> None:
        """Before the first packet."""
        self._link = link
        self._chance = random.Random(seed)  # noqa: S311 -- for repeatable weather, not for secrets
        self._free = 0.0
        self._most_wait = max(HELD_SECONDS, HELD_BYTES * 8 / link.rate_bits) if link.rate_bits else 0.0
        self.lost = self.doubled = self.full = 0
        """How many were lost and doubled as asked for, and how many found the line full."""

    def arrivals(self, size: int, now: float) -> list[float]:
        """The times at which it arrives: none, one or two."""
        link, chance = self._link, self._chance
        if link.loss and chance.random() < link.loss:
            self.lost += 1
            return []
        copies = 1
        if link.duplication and chance.random() < link.duplication:
            self.doubled += 1
            copies = 2
        found = []
        for _ in range(copies):
            left = self._departure(size, now) if link.rate_bits else now
            if left is None:
                self.full += 1
            elif link.reordering and chance.random() < link.reordering:
                found.append(left)
            else:
                found.append(left + self._delay())
        return found

    def _delay(self) -> float:
        link = self._link
        return max(0.0, self._chance.gauss(link.delay_seconds, link.jitter_seconds)) if link.jitter_seconds else (
            link.delay_seconds)

    def _departure(self, size: int, now: float) -> float | None:
        begins = max(self._free, now)
        if begins - now > self._most_wait:
            return None
        assert self._link.rate_bits is not None
        self._free = begins + 8 * size / self._link.rate_bits
        return self._free
