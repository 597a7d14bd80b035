"""How long one ``print(1)`` takes: warm, cold, and with nothing started."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace

from benchmarks.ground import PROGRAM, Ground, hits, interpreter, sandboxed, settle, walls
from benchmarks.rows import MILLISECONDS, Row, Target, timing_row
from benchmarks.timing import Contender, NotRun, Timing, interleaved
from windtunnel.core.result import ExecutionResult
from windtunnel.engine.run import Snippet, run
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.tunnel import Tunnel

GROUP = "start"
BARE = f"python3 -c '{PROGRAM}'"
ISOLATED = f"python3 -I -S -c '{PROGRAM}'"
_TURN = 10
_FIRST = """
import time
from windtunnel.tunnel import Tunnel
began = time.perf_counter()
tunnel = Tunnel()
result = tunnel.run("print(1)")
print(time.perf_counter() - began if result.stdout == "1\\n" else result)
tunnel.close()
"""


def rows(ground: Ground) -> Iterator[Row]:
    """Warm, cold and first starts beside the bare interpreter."""
    with ExitStack() as stack:
        tunnel = stack.enter_context(ground.tunnel())
        empty = stack.enter_context(ground.tunnel(pool_size=0))
        ungrouped = Bubblewrap(groups=False)
        stack.callback(ungrouped.close)
        yield from _single(ground, tunnel, empty, ungrouped)
        yield from _back_to_back(ground, tunnel)
    yield _first(ground)


def bare(ground: Ground) -> dict[str, Contender]:
    """The interpreter alone, as usual and with as little as it can be started with."""
    return {BARE: ground.command([interpreter(), "-c", PROGRAM]),
            ISOLATED: ground.command([interpreter(), "-I", "-S", "-c", PROGRAM])}


def _single(ground: Ground, tunnel: Tunnel, empty: Tunnel, ungrouped: Bubblewrap) -> Iterator[Row]:
    """One run at a time, with the machine at rest before each."""
    rig = replace(tunnel.rig, sandbox=ungrouped)
    seen: dict[str, list[ExecutionResult]] = {name: [] for name in ("warm", "cold", "ungrouped", "empty")}
    contenders = bare(ground) | {
        "warm": sandboxed(lambda: tunnel.run(PROGRAM), seen["warm"]),
        "cold": sandboxed(lambda: tunnel.run(PROGRAM, warm=False), seen["cold"]),
        "ungrouped": sandboxed(
            lambda: run(rig, Snippet(code=PROGRAM, language="python", warm=False)), seen["ungrouped"]),
        "empty": sandboxed(lambda: empty.run(PROGRAM), seen["empty"]),
    }
    tunnel.warm_up()
    for once in contenders.values():
        once()  # starts the stems and reads the files, which a first run pays for and has its own row
    for results in seen.values():
        results.clear()
    times = interleaved(contenders, runs=ground.scale.runs, rest=lambda: settle(tunnel, empty))
    note = f"{hits(seen['warm'])}; {walls(seen['warm'])}"
    yield timing_row(times, "warm", group=GROUP, name=f"warm {PROGRAM}", bare=BARE, beside=BARE,
                     target=Target(limit=0.25), note=note)
    yield timing_row(times, "warm", group=GROUP, name=f"warm {PROGRAM}", bare=ISOLATED, beside=ISOLATED)
    yield _tail(times["warm"])
    for key, name, most in (
        ("cold", "cold: a new sandbox, a fresh interpreter", 2.0),
        ("ungrouped", "cold, without control groups", 1.5),
        ("empty", "none waiting: a new sandbox, the interpreter already loaded", None),
    ):
        yield timing_row(times, key, group=GROUP, name=name, bare=BARE, beside=BARE, note=walls(seen[key]),
                         target=None if most is None else Target(limit=most))


def _tail(times: Timing | NotRun) -> Row:
    name = f"warm {PROGRAM}: slowest hundredth"
    if isinstance(times, NotRun):
        return Row(group=GROUP, name=name, missing=str(times), failed=True)
    return Row(group=GROUP, name=name, value=times.p99 * MILLISECONDS, beside="its own median",
               other=times.median * MILLISECONDS, target=Target(limit=3.0), note=f"{len(times.seconds)} runs")


def _back_to_back(ground: Ground, tunnel: Tunnel) -> Iterator[Row]:
    """Ten without a pause, so that the pool runs dry; the bare interpreter alike."""
    seen: list[ExecutionResult] = []
    contenders = bare(ground) | {"warm": sandboxed(lambda: tunnel.run(PROGRAM), seen)}
    times = interleaved(contenders, runs=ground.scale.runs, together=_TURN, rest=lambda: settle(tunnel))
    yield timing_row(times, "warm", group=GROUP, name=f"{_TURN} back to back, one caller: each", bare=BARE,
                     beside=f"{BARE}, back to back", note=hits(seen))


def _first(ground: Ground) -> Row:
    """In a new process: from making the tunnel to the result, the import not counted (it has its own row)."""
    def first() -> float:
        return float(ground.output([interpreter(), "-c", _FIRST], environment=ground.environment()))

    contenders: dict[str, Contender] = {BARE: bare(ground)[BARE], "first": first}
    times = interleaved(contenders, runs=ground.scale.slow_runs, rest=settle)
    return timing_row(times, "first", group=GROUP, name="first run of a new process, nothing started", bare=BARE,
                      beside=BARE, note="making the tunnel, the stem and the sandbox; without the import")
