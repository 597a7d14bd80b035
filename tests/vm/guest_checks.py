"""Runs in the guest as one caller, and tells what happened, one line of JSON per check; the host judges."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

from windtunnel.config import CAPS, Settings
from windtunnel.core.audit import Auditing
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.result import ExecutionResult
from windtunnel.sandbox import cgroups
from windtunnel.sandbox.attacks import Attack
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.selfcheck import SUITE, run_case
from windtunnel.testing import python_maker
from windtunnel.tunnel import Tunnel

GROUPS = Path("/sys/fs/cgroup")
ROWS = ("R01", "R02", "R05", "R16", "F11", "K16")
WALL_SECONDS = 60.0
"""Emulation is some sixteen times slower; no check is about this limit."""
PATIENT = Limits(wall_seconds=WALL_SECONDS)
BY_GROUP = ("memory", "processes", "cores", "cpu weight", "swap", "cpu time")

MEMORY = "kept = [bytearray(b'x' * 2**20) for _ in range(80)]\nprint('kept')\n"
FORKS = """
import os
reading, writing = os.pipe()
for _ in range(20):
    if os.fork() == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
os.close(writing)
for _ in range(20):
    os.wait()
print("forked")
"""
BURN = "import time\nwhile time.process_time() < 2:\n    pass\nprint('burned')\n"
SHARE = """
import time
begun, used = time.monotonic(), time.process_time()
while time.monotonic() - begun < 1.5:
    pass
print((time.process_time() - used) / (time.monotonic() - begun))
"""
LONG = "import time\nprint('begun', flush=True)\ntime.sleep(300)\n"


def tunnel(*, pool_size: int = 0) -> Tunnel:
    """One with room for slow emulation, which writes nothing down."""
    caps = replace(CAPS, wall_seconds=600.0)
    folder = Path("/tmp")
    return Tunnel(Settings(state_dir=folder, cache_dir=folder, history=False, caps=caps, audit=Auditing.OFF), pool_size=pool_size)


@cache
def shared() -> Tunnel:
    """The one that most checks use; closed when the process ends."""
    return tunnel()


def run(code: str, limits: Limits = PATIENT) -> ExecutionResult:
    """One program, started anew."""
    return shared().run(code, limits=limits)


def pair(code: str, tight: Limits, *, roomy: Limits) -> list[list[str]]:
    """The same program under a limit that it meets, and with room enough."""
    results = [run(code, limits) for limits in (tight, roomy)]
    return [[result.reason, result.stdout.strip()] for result in results]


def folders() -> list[str]:
    """All groups of ours, whoever made them."""
    return sorted(str(path.relative_to(GROUPS)) for path in GROUPS.glob("**/windtunnel-*"))


def found() -> object:
    """Which groups this caller may make."""
    groups = cgroups.find()
    if groups is None:
        return None
    groups.close()
    (parent,) = {str(folder.parent.relative_to(GROUPS)) for folder in groups.parents.values()}
    return {"version": groups.version, "parent": parent}


def hello() -> object:
    """A small program, what held it, and what is known of its use."""
    result = run("print(1)")
    return {"stdout": result.stdout, "reason": result.reason, "level": result.level,
            "enforced": {name: result.enforced.get(name) for name in BY_GROUP}}


def usage() -> object:
    """What the numbers of a run with a known appetite are."""
    used = run("kept = bytearray(b'x' * 2**20) * 32\nimport time\nwhile time.process_time() < 0.5:\n    pass\n").usage
    groups = cgroups.find()
    group = groups.make() if groups is not None else None
    counted = group is not None and (group.folders["pids"] / "pids.peak").exists()
    if groups is not None:
        groups.close()
    return {"cpu_seconds": used.cpu_seconds, "memory_peak_bytes": used.memory_peak_bytes,
            "processes_peak": used.processes_peak, "disk_bytes": used.disk_bytes, "kernel_counts_peak": counted}


def memory() -> object:
    """More memory than allowed."""
    return pair(MEMORY, replace(PATIENT, memory_bytes=48 * MIB), roomy=replace(PATIENT, memory_bytes=256 * MIB))


def processes() -> object:
    """More processes than allowed."""
    return pair(FORKS, replace(PATIENT, processes=8), roomy=replace(PATIENT, processes=100))


def cpu_time() -> object:
    """More processor time than allowed."""
    return pair(BURN, replace(PATIENT, cpu_seconds=1.0), roomy=replace(PATIENT, cpu_seconds=30.0))


def cores() -> object:
    """The share of one processor that a busy loop gets with half of one, and with a whole one."""
    return [float(run(SHARE, replace(PATIENT, cores=share)).stdout) for share in (0.5, 1.0)]


def warm() -> object:
    """A waiting sandbox, whose group was made before its limit was known."""
    with tunnel(pool_size=1) as made:
        made.warm_up()
        result = made.run(MEMORY, limits=replace(PATIENT, memory_bytes=48 * MIB))
        return {"warm": result.warm, "reason": result.reason, "memory": result.enforced["memory"]}


def left() -> object:
    """Groups while two tunnels are open, and when both are closed."""
    with tunnel(pool_size=1) as made:
        made.run("print(1)", limits=PATIENT)
        during = len(folders())
    shared().close()
    return {"during": during, "after": folders()}


def crash() -> object:
    """A supervisor is killed in the middle of a run; the next look for groups clears up after it."""
    supervisor = subprocess.Popen([sys.executable, __file__, "supervise"], stdout=subprocess.PIPE)
    assert supervisor.stdout is not None
    begun = supervisor.stdout.readline().decode()
    supervisor.kill()
    supervisor.wait()
    before = [name for name in folders() if f"-{supervisor.pid}-" in name]
    groups = cgroups.find()
    after = [name for name in folders() if f"-{supervisor.pid}-" in name]
    if groups is not None:
        groups.close()
    return {"begun": begun, "before": len(before), "after": after}


def supervise() -> None:
    """The supervisor to be killed."""
    with tunnel() as made:
        made.run(LONG, limits=Limits(wall_seconds=500.0), on_stdout=lambda data: os.write(1, data))


def rows() -> object:
    """Rows of the conformance suite, with time enough."""
    sandbox = Bubblewrap(pool_size=0)
    told = {}
    for attack in SUITE:
        if isinstance(attack, Attack) and attack.row in ROWS:
            patient = replace(attack, limits=replace(attack.limits, wall_seconds=WALL_SECONDS))
            verdict = run_case(patient, sandbox=sandbox, make_job=python_maker())
            told[attack.row] = [verdict.outcome, verdict.evidence]
    sandbox.close()
    return told


WITH_GROUPS: tuple[Callable[[], object], ...] = (
    found, hello, usage, memory, processes, cpu_time, cores, warm, left, crash, rows)
WITHOUT: tuple[Callable[[], object], ...] = (found, hello, cores, memory, left)


def main(who: str) -> None:
    """Every check of this caller; one that breaks tells how, and the next goes on."""
    token = re.findall(r"windtunnel\.token=(\w+)", Path("/proc/cmdline").read_text())[0]
    for check in WITHOUT if who == "undelegated" else WITH_GROUPS:
        begun = time.monotonic()
        try:
            value = check()
        except Exception:  # noqa: BLE001 -- told to the host, which fails the check
            value = {"broke": traceback.format_exc()[-2000:]}
        line = json.dumps({"who": who, "check": check.__name__, "value": value})
        os.write(1, f"{token} {line}\n# {check.__name__} took {time.monotonic() - begun:.1f} s\n".encode())


if sys.argv[1] == "supervise":
    supervise()
else:
    main(sys.argv[1])
