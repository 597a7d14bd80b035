"""What was asked of a link beside what was measured of it, by the names of presets.

Whether a figure holds is decided so, with ``n`` answers to the probe:

- delay: within 1 ms + 2 %, and three standard errors of the median (``1.25 jitter / sqrt(2 n)``) more;
- jitter: within 1 ms + 5 %, and three standard errors of a deviation (``jitter / sqrt(2 n)``) more, of the deviation
  that is left where no delay is below zero;
- loss, duplication, reordering: within three and a half standard errors of a share and one packet;
- rate: within 10 %, because the train is short.
"""

from __future__ import annotations

import math

from windtunnel.core.scenario import Condition, Fault, Link, Outside
from windtunnel.sandbox.outside.probe import Measured

_MILLISECONDS = 1000.0
_FAR = "the probe measured something else; the machine may be too busy to be in time"
_NOTHING_BACK = "nothing that the probe sent came back, so there was nothing to measure it by"


def conditions(outside: Outside, measured: Measured | None) -> tuple[Condition, ...]:
    """Delay, jitter, loss, duplication, reordering and, where there is one, the rate; in milliseconds, shares, bits/s.

    Without a measurement each is said not to hold.
    """
    if Fault.PARTITION in outside.faults or measured is None:
        why = "nothing arrives in a partition" if Fault.PARTITION in outside.faults else "it was not measured"
        return tuple(Condition(name=name, requested=asked, measured="", real=False, reason=why)
                     for name, asked in _requested(outside.link).items())
    found = [_delay(outside.link, measured), _jitter(outside.link, measured), _loss(outside.link, measured),
             _duplication(outside.link, measured), _reordering(outside.link, measured)]
    return (*found, *([_rate(outside.link, measured)] if outside.link.rate_bits is not None else []))


def _requested(link: Link) -> dict[str, str]:
    made = {"NETWORK_LATENCY_MS": f"{link.delay_seconds * _MILLISECONDS:g}",
            "NETWORK_JITTER_MS": f"{link.jitter_seconds * _MILLISECONDS:g}", "PACKET_LOSS": f"{link.loss:g}",
            "PACKET_DUPLICATION": f"{link.duplication:g}", "PACKET_REORDERING": f"{link.reordering:g}"}
    return made | ({"BANDWIDTH_LIMIT": f"{link.rate_bits:.0f}"} if link.rate_bits is not None else {})


def _told(name: str, link: Link, *, measured: str, holds: bool, reason: str = _FAR) -> Condition:
    return Condition(name=name, requested=_requested(link)[name], measured=measured, real=holds,
                     reason="" if holds else reason)


def _delay(link: Link, seen: Measured) -> Condition:
    if seen.delay_seconds is None:
        return _told("NETWORK_LATENCY_MS", link, measured="", holds=False, reason=_NOTHING_BACK)
    room = 0.001 + 0.02 * link.delay_seconds + 3 * 1.25 * link.jitter_seconds / math.sqrt(2 * seen.answered)
    wanted = max(link.delay_seconds, _cut_mean(link))
    return _told("NETWORK_LATENCY_MS", link, measured=f"{seen.delay_seconds * _MILLISECONDS:.2f}",
                 holds=min(abs(seen.delay_seconds - link.delay_seconds), abs(seen.delay_seconds - wanted)) <= room)


def _jitter(link: Link, seen: Measured) -> Condition:
    if seen.jitter_seconds is None:
        return _told("NETWORK_JITTER_MS", link, measured="", holds=False, reason=_NOTHING_BACK)
    wanted = _cut_deviation(link)
    room = 0.001 + 0.05 * wanted + 3 * wanted / math.sqrt(2 * seen.answered)
    return _told("NETWORK_JITTER_MS", link, measured=f"{seen.jitter_seconds * _MILLISECONDS:.2f}",
                 holds=abs(seen.jitter_seconds - wanted) <= room)


def _cut_mean(link: Link) -> float:
    """Of ``max(0, N(delay, jitter))``."""
    delay, jitter = link.delay_seconds, link.jitter_seconds
    if not jitter:
        return delay
    ratio = delay / jitter
    return delay * _below(ratio) + jitter * _density(ratio)


def _cut_deviation(link: Link) -> float:
    """Of the same."""
    delay, jitter = link.delay_seconds, link.jitter_seconds
    if not jitter:
        return 0.0
    ratio = delay / jitter
    square = (delay ** 2 + jitter ** 2) * _below(ratio) + delay * jitter * _density(ratio)
    return math.sqrt(max(0.0, square - _cut_mean(link) ** 2))


def _below(value: float) -> float:
    return 0.5 * (1 + math.erf(value / math.sqrt(2)))


def _density(value: float) -> float:
    return math.exp(-value * value / 2) / math.sqrt(2 * math.pi)


def _share_holds(wanted: float, found: float, count: int) -> bool:
    return abs(found - wanted) <= 3.5 * math.sqrt(max(wanted, 1 / count) * (1 - wanted) / count) + 1 / count


def _loss(link: Link, seen: Measured) -> Condition:
    return _told("PACKET_LOSS", link, measured=f"{seen.loss:.4f}", holds=_share_holds(link.loss, seen.loss, seen.sent))


def _duplication(link: Link, seen: Measured) -> Condition:
    if not seen.answered:
        return _told("PACKET_DUPLICATION", link, measured="", holds=False, reason=_NOTHING_BACK)
    return _told("PACKET_DUPLICATION", link, measured=f"{seen.duplication:.4f}",
                 holds=_share_holds(link.duplication, seen.duplication, seen.answered))


def _reordering(link: Link, seen: Measured) -> Condition:
    name = "PACKET_REORDERING"
    if seen.reordering is None and not link.reordering:
        return _told(name, link, measured="", holds=True)
    if not link.delay_seconds:
        return _told(name, link, measured="", holds=False, reason="without a delay there is nothing to overtake")
    if seen.reordering is None:
        return _told(name, link, measured="", holds=False,
                     reason="with so much jitter an early packet cannot be told from a lucky one")
    return _told(name, link, measured=f"{seen.reordering:.4f}",
                 holds=_share_holds(link.reordering, seen.reordering, max(1, seen.answered)))


def _rate(link: Link, seen: Measured) -> Condition:
    assert link.rate_bits is not None
    if seen.rate_bits is None:
        return _told("BANDWIDTH_LIMIT", link, measured="", holds=False, reason=_NOTHING_BACK)
    return _told("BANDWIDTH_LIMIT", link, measured=f"{seen.rate_bits:.0f}",
                 holds=abs(seen.rate_bits - link.rate_bits) <= 0.1 * link.rate_bits)
