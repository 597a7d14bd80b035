"""Generated presets: how many it takes for all pairs of values, how long that takes, and what the first are worth."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Iterator

from benchmarks.ground import Ground
from benchmarks.rows import Row, Target
from windtunnel.core.scenario import Scenario
from windtunnel.scenarios.generate import fields_of, generate_presets, grid, pairs_covered
from windtunnel.scenarios.preset import scenario

GROUP = "simulate"
MOST_PRESETS = 75.0
MOST_SECONDS = 3.0
FIRST_SEED, SEEDS = 1000, 20
"""The search was set up with seeds below 200."""
COUNTS = (3, 10, 30)


def rows(ground: Ground) -> Iterator[Row]:
    """The largest array of several seeds and the time of the slowest, then what as many dice cover."""
    seeds = range(FIRST_SEED, FIRST_SEED + min(SEEDS, ground.scale.slow_runs))
    arrays, seconds = zip(*(_timed(seed) for seed in seeds), strict=True)
    if _timed(seeds[0])[0] != arrays[0]:
        raise RuntimeError(f"seed {seeds[0]} gave other presets the second time")
    sizes = sorted(map(len, arrays))
    note = (f"{grid().pairs} pairs of {sum(grid().counts)} values; seeds {seeds[0]} to {seeds[-1]}: "
            f"{sizes[0]} to {sizes[-1]}")
    yield Row(group=GROUP, name="presets for all pairs, most of the seeds", value=float(sizes[-1]), unit="presets",
              of="value", target=Target(limit=MOST_PRESETS), note=note)
    yield Row(group=GROUP, name="generating them, slowest of the seeds", value=max(seconds), unit="s", of="value",
              target=Target(limit=MOST_SECONDS), note="processor time")
    for count in COUNTS:
        mine = statistics.mean(_share(array[:count]) for array in arrays)
        dice = statistics.mean(_share(_rolled(count, seed=seed)) for seed in seeds)
        yield Row(group=GROUP, name=f"pairs in the first {count} presets", value=mine, unit="%", beside="as many dice",
                  other=dice, of="ratio", target=Target(limit=1.0, least=True), note="mean of the seeds")


def _timed(seed: int) -> tuple[tuple[Scenario, ...], float]:
    """An array that was looked at: it covers all pairs."""
    began = time.thread_time()
    made = generate_presets(None, seed=seed)
    seconds = time.thread_time() - began
    found, there = pairs_covered(made)
    if found != there:
        raise RuntimeError(f"seed {seed}: {found} of {there} pairs")
    return made, seconds


def _share(presets: tuple[Scenario, ...]) -> float:
    found, there = pairs_covered(presets)
    return 100.0 * found / there


def _rolled(count: int, *, seed: int) -> tuple[Scenario, ...]:
    """Each value by a die of its own, rolled again where two of a preset must not meet."""
    chance, made = random.Random(seed), []
    while len(made) < count:
        row = tuple(start + int(chance.random() * many)
                    for start, many in zip(grid().starts, grid().counts, strict=True))
        bits = sum(1 << number for number in row)
        if all(not bits & ~(grid().partners[number] | 1 << number) for number in row):
            made.append(scenario(fields_of(row)))
    return tuple(made)
