"""What it costs to go on after a crash and to be looked at: kills, cycles written down, figures, pages.

``python -m benchmarks.seen`` measures these alone; ``--small`` shows that they work.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from benchmarks import table
from benchmarks.ground import FULL, SMALL, Ground
from benchmarks.rows import MILLISECONDS, Row, Target
from benchmarks.timing import Timing, timed
from windtunnel.core.limits import Limits
from windtunnel.core.result import ExecutionResult
from windtunnel.core.seen import CellState, HeatMap, Plot, SimulationReport
from windtunnel.engine.recovery.journal import Journal
from windtunnel.engine.report_simulation.page import page
from windtunnel.store.history import MOST_RUNS, SqliteHistory
from windtunnel.store.tallies import HistoryTally

GROUP = "seen"
_RUN = """
import random, sys
from pathlib import Path
from windtunnel.engine.recovery.journal import Journal
from windtunnel.engine.recovery.resuming import resume

def step(cycle):
    chance = random.Random(cycle.seed)
    total = sum(chance.random() for _ in range(500))
    print(cycle.number, flush=True)
    return {"total": total + (cycle.before[-1]["total"] if cycle.before else 0), "words": "x" * chance.randrange(9000)}

with Journal(Path(sys.argv[1])) as journal:
    resume(journal, step, most_cycles=int(sys.argv[2]))
"""
_SEED = 9
_CYCLES_OF_A_KILL = 10
"""Of a run, for each kill of it, so that there are always some left."""


def rows(ground: Ground) -> Iterator[Row]:
    """All of it."""
    yield _kills(ground.folder / "kills", max(2, ground.scale.runs // 2))
    yield _appends(ground.folder / "appends", ground.scale.runs * 5)
    yield from _figures(ground.folder / "history.db", MOST_RUNS if ground.scale.runs > SMALL.runs else 100)
    yield _report()


def _begin(folder: Path) -> Path:
    folder.parent.mkdir(parents=True, exist_ok=True)
    Journal.begin(folder, seed=_SEED).close()
    return folder


def _start(folder: Path, cycles: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", _RUN, str(folder), str(cycles)], stdout=subprocess.PIPE)


def _killed(folder: Path, cycles: int, chance: random.Random) -> bool:
    """Whether a kill at some moment of some cycle came before the run was done."""
    with _start(folder, cycles) as process:
        assert process.stdout is not None
        for _ in range(chance.randrange(1, _CYCLES_OF_A_KILL // 2)):
            process.stdout.readline()
        try:
            process.wait(chance.random() * 0.01)
        except subprocess.TimeoutExpired:
            process.kill()
    return process.returncode == -signal.SIGKILL


def _kills(folder: Path, kills: int) -> Row:
    """The journal of a run that was killed so often beside that of one that was not, line by line."""
    chance, cycles = random.Random(17), kills * _CYCLES_OF_A_KILL
    killed, alone = _begin(folder / "killed"), _begin(folder / "alone")
    came = sum(_killed(killed, cycles, chance) for _ in range(kills))
    for one in (killed, alone):
        with _start(one, cycles) as process:
            process.communicate()
    lines = [(one / "cycles.jsonl").read_bytes().splitlines() for one in (killed, alone)]
    wrong = abs(len(lines[0]) - len(lines[1])) + sum(a != b for a, b in zip(*lines, strict=False))
    return Row(group=GROUP, name="cycles lost, doubled or other after kills", value=float(wrong), unit="runs",
               of="value", target=Target(limit=0),
               note=f"{came} kills -9 at random moments, {len(lines[1])} cycles")


def _appends(folder: Path, count: int) -> Row:
    with Journal(_begin(folder)) as journal:
        told = {"metrics": {f"metric_{number}": number / 7 for number in range(50)}}
        timing = Timing(tuple(timed(lambda: journal.append(told)) for _ in range(count)))
    return Row(group=GROUP, name="a finished cycle on the disk", value=timing.median * MILLISECONDS,
               p99=timing.p99 * MILLISECONDS, of="value", note="50 metrics, fsync")


def _figures(path: Path, count: int) -> Iterator[Row]:
    """The largest history that there can be, with as much output in it as is kept."""
    history = SqliteHistory(path)
    for number in range(count):
        history.add(ExecutionResult(id=str(number), exit_code=number % 3, execution_time=number / count,
                                    stdout_bytes=b"x" * 4096, stderr_bytes=b"y" * 1000), limits=Limits())
    history.close()
    tally = HistoryTally(history)
    first = timed(tally.counts)
    later = Timing(tuple(timed(tally.counts) for _ in range(20)))
    found = sum(tally.counts().runs.values())
    history.close()
    note = f"{found} runs, {path.stat().st_size / 1e6:.0f} MB"
    yield Row(group=GROUP, name="counts by outcome, first", value=first * MILLISECONDS, of="value", note=note)
    yield Row(group=GROUP, name="counts by outcome, again", value=later.median * MILLISECONDS,
              p99=later.p99 * MILLISECONDS, of="value", note=note)


def _report() -> Row:
    chance, states = random.Random(3), list(CellState)
    values = tuple(chance.random() for _ in range(100))
    heat = HeatMap(rows=tuple(f"module.function_{n}" for n in range(200)), columns=tuple(f"s{n}" for n in range(75)),
                   cells=tuple(tuple(chance.choice(states) for _ in range(75)) for _ in range(200)))
    plots = tuple(Plot(name=f"metric_{n}", actual=values, predicted=values, low=values, high=values) for n in range(26))
    report = SimulationReport(target="t", run="r", seed=1, made=datetime.now(UTC).isoformat(), heat=heat, plots=plots)
    timing = Timing(tuple(timed(lambda: page(report)) for _ in range(5)))
    return Row(group=GROUP, name="report of a simulation", value=timing.median * MILLISECONDS, of="value",
               note=f"200 sections x 75 scenarios, 26 plots of 100 cycles: {len(page(report)) / 1e6:.1f} MB")


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="wt-bench-") as made:
        print(table.text(list(rows(Ground(folder=Path(made), scale=SMALL if "--small" in sys.argv else FULL)))))
