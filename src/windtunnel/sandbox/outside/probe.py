"""Measuring a simulated outside from where the program stands: a program that is run there, and what its words mean.

It sends numbered datagrams to the echo of port 7 and notes when each comes back and how often, by the kernel's stamps,
so that the program's own waiting for a processor is no part of it; then it sends a train of large ones a little faster
than the rate allows. With ``p`` and ``d`` the chances of loss and of duplication in one
direction, the same in both, what is told apart is:

- one-way delay: half the median round trip, less the time that the datagram itself takes at the rate;
- one-way jitter: the deviation of round trips over the square root of two;
- copies that come back for each one sent, on average: ``m = ((1 - p) (1 + d))²``;
- share of those that never come back: ``u = p + (1 - p) ((1 - d) p + d p²)``; both together give ``p`` and ``d``;
- reordering: with ``e`` the share that came back before one and a half delays, ``1 - sqrt(1 - e)``;
- rate: bits of IP packets that came back between the 20th and the 80th of a hundred, over the time between them.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.scenario import Link, Outside

ECHO_PORT = 7
COUNT = 400
_SPACING_SECONDS = 0.0025
_SMALL, _LARGE = 60, 1400
"""Bytes of the IP packets."""
_TRAIN_SECONDS, _TRAIN_HASTE = 0.4, 1.4
_FEWEST = 12
_HIDING_JITTER = 0.15
"""Of the delay; with more of it, early answers cannot be told from lucky ones."""

PROGRAM = """
import json, select, socket, struct, sys, time

asked = json.loads(sys.stdin.read())
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
sock.setsockopt(socket.SOL_SOCKET, 35, 1)
sock.connect(("198.18.0.2", 7))
sock.setblocking(False)


def hear(until, came):
    now = 0.0
    while now < until:
        if not select.select([sock], [], [], max(0.0, until - time.perf_counter()))[0]:
            return
        now = time.perf_counter()
        try:
            while True:
                data, notes, _, _ = sock.recvmsg(2048, 64)
                seconds, rest = struct.unpack("=qq", notes[0][2])
                came.append((struct.unpack_from("=I", data)[0], seconds + rest / 1e9))
        except BlockingIOError:
            continue


def send(count, size, spacing, first):
    filler, sent, came = bytes(size - 32), {}, []
    begun = time.perf_counter()
    for number in range(count):
        hear(begun + number * spacing, came)
        sent[first + number] = time.time()
        try:
            sock.send(struct.pack("=I", first + number) + filler)
        except OSError:
            pass
    hear(time.perf_counter() + asked["patience"], came)
    return [(number, at - sent[number]) for number, at in came if number in sent], [at for n, at in came if n in sent]


trips, _ = send(asked["count"], asked["small"], asked["spacing"], 0)
_, train = send(asked["train"], asked["large"], asked["train_spacing"], 1 << 24) if asked["train"] else ([], [])
print(json.dumps({"sent": asked["count"], "trips": trips, "train": train}))
"""
"""Reads what to do from its standard input, and needs nothing but Python."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What the probe saw; each figure holds for one direction, None where there was nothing to tell it by."""

    sent: int
    answered: int
    """Of those sent, how many came back at least once."""
    repeated: int
    """And how many more than once."""
    delay_seconds: float | None
    jitter_seconds: float | None
    loss: float
    duplication: float
    reordering: float | None
    rate_bits: float | None


def probed(outside: Outside) -> Outside:
    """The same link with somebody at the other end who answers; faults are looked at by others."""
    return replace(outside, faults=frozenset(), ports=(ECHO_PORT,))


def wishes(link: Link, *, count: int = COUNT) -> bytes:
    """The standard input of the program for one link; with the usual count it takes one or two seconds.

    A round trip of seconds takes that much longer.
    """
    spacing, train, train_spacing = _SPACING_SECONDS, 0, 0.0
    if link.rate_bits is not None:
        spacing = max(spacing, 4 * 8 * _SMALL / link.rate_bits)
        seconds = max(_TRAIN_SECONDS, 10 * link.jitter_seconds)
        train = max(_FEWEST, math.ceil(seconds * link.rate_bits / 8 / _LARGE))
        train_spacing = 8 * _LARGE / link.rate_bits / _TRAIN_HASTE
    patience = 2 * link.delay_seconds + 8 * link.jitter_seconds + 0.25
    if train:
        patience += 2 * 8 * _LARGE * (1 + train * (1 - 1 / _TRAIN_HASTE)) / (link.rate_bits or 1)
    count = min(count, max(_FEWEST, int(count * _SPACING_SECONDS / spacing)))
    return json.dumps({"count": count, "small": _SMALL, "large": _LARGE, "spacing": spacing, "train": train,
                       "train_spacing": train_spacing, "patience": patience}).encode()


def read(output: bytes, link: Link) -> Measured:
    """What the program's output means; a failure for output that it cannot have made."""
    try:
        told = json.loads(output)
        sent = int(told["sent"])
        trips = [(int(number), float(seconds)) for number, seconds in told["trips"]]
        train = sorted(float(at) for at in told["train"])
    except (ValueError, TypeError, KeyError) as error:
        raise SandboxFailure(f"the probe of the network did not end well: {output[:200]!r}") from error
    copies: dict[int, int] = {}
    first: dict[int, float] = {}
    for number, seconds in trips:
        copies[number] = copies.get(number, 0) + 1
        first.setdefault(number, seconds)
    loss, duplication = chances(unanswered=1 - len(first) / sent, copies=len(trips) / sent)
    own = 8 * _SMALL / link.rate_bits if link.rate_bits else 0.0
    early, times = _early(list(first.values()), link)
    return Measured(
        sent=sent, answered=len(first), repeated=sum(count > 1 for count in copies.values()),
        delay_seconds=statistics.median(times) / 2 - own if times else None,
        jitter_seconds=statistics.stdev(times) / math.sqrt(2) if len(times) >= _FEWEST else None,
        loss=loss, duplication=duplication,
        reordering=None if early is None else 1 - math.sqrt(1 - early), rate_bits=_rate(train))


def chances(*, unanswered: float, copies: float) -> tuple[float, float]:
    """The chances of loss and of duplication in one direction, by halving; see the head of this module."""
    if unanswered >= 1 or copies <= 0:
        return 1.0, 0.0
    low, high = 0.0, unanswered
    for _ in range(60):
        loss = (low + high) / 2
        duplication = min(1.0, max(0.0, math.sqrt(copies) / (1 - loss) - 1))
        expected = loss + (1 - loss) * ((1 - duplication) * loss + duplication * loss * loss)
        low, high = (loss, high) if expected < unanswered else (low, loss)
    loss = (low + high) / 2
    return loss, min(1.0, max(0.0, math.sqrt(copies) / (1 - loss) - 1))


def _early(times: Sequence[float], link: Link) -> tuple[float | None, list[float]]:
    """The share of round trips that skipped a delay, where that can be told, and the others."""
    if not times or not link.delay_seconds or link.jitter_seconds > _HIDING_JITTER * link.delay_seconds:
        return None, list(times)
    whole = [seconds for seconds in times if seconds >= 1.5 * link.delay_seconds]
    return 1 - len(whole) / len(times), whole


def _rate(train: Sequence[float]) -> float | None:
    if len(train) < _FEWEST:
        return None
    low, high = len(train) // 5, len(train) * 4 // 5
    seconds = train[high] - train[low]
    return 8 * _LARGE * (high - low) / seconds if seconds > 0 else None
