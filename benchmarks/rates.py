"""How many runs a second the whole machine gives, and whether many at once all succeed."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

from benchmarks.ground import PROGRAM, ROOT, Ground, checked, interpreter
from benchmarks.rows import Row, Target
from windtunnel.tunnel import Tunnel

GROUP = "rate"
KINDS = {"bare": "bare python starts", "warm": "sandboxed python runs",
         "fresh": "sandboxed runs, each in a fresh interpreter"}


def rows(ground: Ground) -> Iterator[Row]:
    """The best of threads and processes for each, in turns; then many at once."""
    best = {kind: max(found.items(), key=lambda item: item[1]) for kind, found in _rates(ground).items()}
    way, bare = best["bare"]
    for kind, target in (("warm", Target(limit=1.0, least=True)), ("fresh", None)):
        mine, rate = best[kind]
        yield Row(group=GROUP, name=f"{KINDS[kind]}, all cores", value=rate, unit="/s",
                  beside=f"{KINDS['bare']} by {way}", other=bare, target=target,
                  note=f"best by {mine}; {os.cpu_count()} cores")
    yield _burst(ground)


def _rates(ground: Ground) -> dict[str, dict[str, float]]:
    """Runs per second by kind and by way of calling, the median of the stretches."""
    taken: dict[str, dict[str, list[float]]] = {kind: {} for kind in KINDS}
    with ground.tunnel() as tunnel:
        tunnel.warm_up()
        acts = actions(ground, tunnel)
        for _ in range(ground.scale.stretches):
            for way, count in _ways():
                for kind, act in acts.items():
                    rate = (_threads(act, count, ground.scale.seconds) if way == "threads"
                            else _processes(ground, kind, count))
                    taken[kind].setdefault(f"{count} {way}", []).append(rate)
    return {kind: {way: statistics.median(rates) for way, rates in found.items()} for kind, found in taken.items()}


def _ways() -> list[tuple[str, int]]:
    cores = os.cpu_count() or 1
    return [("threads", cores), ("threads", 2 * cores), ("processes", cores), ("processes", 2 * cores)]


def actions(ground: Ground, tunnel: Tunnel) -> dict[str, Callable[[], object]]:
    """One run of each kind."""
    return {
        "bare": ground.command([interpreter(), "-c", PROGRAM]),
        "warm": lambda: checked(tunnel.run(PROGRAM)),
        "fresh": lambda: checked(tunnel.run(PROGRAM, warm=False)),
    }


def repeat(act: Callable[[], object], seconds: float) -> int:
    """How often it was done until the time was over, the last one to its end."""
    done, until = 0, time.perf_counter() + seconds
    while time.perf_counter() < until:
        act()
        done += 1
    return done


def _threads(act: Callable[[], object], count: int, seconds: float) -> float:
    with ThreadPoolExecutor(count) as pool:
        began = time.perf_counter()
        done = [pool.submit(repeat, act, seconds) for _ in range(count)]
        return sum(one.result() for one in done) / (time.perf_counter() - began)


def _processes(ground: Ground, kind: str, count: int) -> float:
    """Workers with a tunnel each, ready before the clock starts."""
    argv = [sys.executable, "-m", "benchmarks.worker", kind, str(ground.scale.seconds), str(ground.folder)]
    workers = [subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT, text=True)
               for _ in range(count)]
    try:
        for worker in workers:
            _line(worker)
        began = time.perf_counter()
        for worker in workers:
            assert worker.stdin is not None
            worker.stdin.write("go\n")
            worker.stdin.flush()
        done = sum(int(_line(worker)) for worker in workers)
        return done / (time.perf_counter() - began)
    finally:
        for worker in workers:
            worker.communicate(timeout=60)


def _line(worker: subprocess.Popen[str]) -> str:
    assert worker.stdout is not None
    line = worker.stdout.readline().strip()
    if not line:
        raise RuntimeError("a worker process ended early")
    return line


def _burst(ground: Ground) -> Row:
    """All released at one moment, on a tunnel whose pool holds two."""
    count = ground.scale.burst
    gate = threading.Barrier(count + 1)
    with ground.tunnel() as tunnel, ThreadPoolExecutor(count) as pool:
        tunnel.warm_up()

        def one() -> bool:
            gate.wait()
            result = tunnel.run(PROGRAM)
            return result.success and result.stdout == "1\n"

        waiting = [pool.submit(one) for _ in range(count)]
        gate.wait()
        began = time.perf_counter()
        good = sum(bool(future.exception() is None and future.result()) for future in waiting)
        seconds = time.perf_counter() - began
    return Row(group=GROUP, name=f"{count} at once: succeeded", value=good, unit="runs",
               of="value", target=Target(limit=count, least=True), note=f"all done after {seconds * 1000:.0f} ms")
