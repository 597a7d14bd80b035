"""Figures of simulated links, measured in the sandbox by programs that stand where a user's would.

Needs nothing but the package, so that it can be run by a user of no name as well:
``python simulate_network_figures.py COUNT`` prints them as JSON.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict

from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Network
from windtunnel.core.result import Command
from windtunnel.core.scenario import Link, Outside
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.outside import probe

COUNT = 4000
SEED = 20_231
"""Not one that anything was tuned with."""
LINKS = {
    "delay 1 ms": Link(delay_seconds=0.001),
    "delay 25 ms": Link(delay_seconds=0.025),
    "delay 100 ms, jitter 20 ms": Link(delay_seconds=0.1, jitter_seconds=0.02),
    "loss 5 %": Link(loss=0.05),
    "duplication 5 %": Link(duplication=0.05),
    "reordering 10 %, delay 20 ms": Link(reordering=0.1, delay_seconds=0.02),
    "rate 1 Mbit/s": Link(rate_bits=1e6),
    "rate 10 Mbit/s": Link(rate_bits=1e7),
    "rate 100 Mbit/s": Link(rate_bits=1e8),
}
_STREAM = """
import socket, sys, threading, time
sock = socket.create_connection(("198.18.0.2", 7))
size, first = int(sys.stdin.read()), None
threading.Thread(target=lambda: sock.sendall(bytes(size)), daemon=True).start()
got = 0
while got < size:
    got += len(sock.recv(1 << 16))
    if first is None and got >= size // 4:
        first, before = time.perf_counter(), got
print(8 * (got - before) / (time.perf_counter() - first))
"""


def job(code: str, *, stdin: bytes = b"", outside: Outside | None = None) -> Job:
    """A Python program before an outside."""
    table = LanguageTable()
    language = table.get("python")
    toolchain = table.toolchain(language)
    command = Command(argv=(toolchain.run[0], "/sandbox/main.py"), script="/sandbox/main.py", env=dict(toolchain.env),
                      files={"main.py": code.encode()}, stdin=stdin)
    return Job(command=command, limits=Limits(wall_seconds=120.0, output_bytes=1 << 23), language=language,
               toolchain=toolchain, network=Network(outside=outside))


def measure(box: Bubblewrap, link: Link, *, count: int) -> probe.Measured:
    """One link by the probe."""
    outside = probe.probed(Outside(link=link, seed=SEED))
    result = box.run(job(probe.PROGRAM, stdin=probe.wishes(link, count=count), outside=outside))
    return probe.read(result.stdout_bytes, link)


def stream_bits(box: Bubblewrap, link: Link, *, size: int) -> float:
    """Bits a second of data that comes back from an echo over TCP, after the first quarter of it."""
    result = box.run(job(_STREAM, stdin=str(size).encode(), outside=Outside(link=link, seed=SEED)))
    return float(result.stdout)


def off_by(name: str, link: Link, seen: probe.Measured) -> tuple[str, float, float]:
    """What is judged of one link: the unit, how far it is off, and how far it may be.

    Shares of round trips are judged in standard errors of a binomial share: with ``p`` in each direction it is
    ``q = 1 - (1 - p)²``, and 99 % of such shares are within 2.576 of ``sqrt(q (1 - q) / n)``.
    """
    if link.rate_bits is not None:
        return "%", 100 * abs((seen.rate_bits or 0.0) / link.rate_bits - 1), 5.0
    if link.jitter_seconds:
        return "%", 100 * abs((seen.jitter_seconds or 0.0) / link.jitter_seconds - 1), 5.0
    chance = link.loss or link.duplication or link.reordering
    if not chance:
        assert seen.delay_seconds is not None, name
        return "ms", 2000 * abs(seen.delay_seconds - link.delay_seconds), 1 + 0.02 * 2000 * link.delay_seconds
    found = (seen.sent - seen.answered if link.loss else seen.repeated) / seen.sent
    if link.reordering:
        found = 1 - (1 - (seen.reordering or 0.0)) ** 2
    expected = 1 - (1 - chance) ** 2
    return "errors", abs(found - expected) / math.sqrt(expected * (1 - expected) / seen.sent), 2.576


def figures(count: int = COUNT) -> dict[str, dict[str, object]]:
    """All links, by name: what was measured, and how far it is off."""
    made: dict[str, dict[str, object]] = {}
    box = Bubblewrap(pool_size=0)
    try:
        for name, link in LINKS.items():
            seen = measure(box, link, count=count)
            unit, off, most = off_by(name, link, seen)
            made[name] = {"unit": unit, "off": off, "most": most, "seen": asdict(seen)}
        made["TCP at 10 Mbit/s"] = {"bits": stream_bits(box, Link(rate_bits=1e7), size=2_000_000)}
        made["TCP without a rate"] = {"bits": stream_bits(box, Link(), size=20_000_000)}
    finally:
        box.close()
    return made


if __name__ == "__main__":
    print(json.dumps(figures(int(sys.argv[1]) if sys.argv[1:] else COUNT)))
