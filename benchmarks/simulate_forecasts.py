"""Forecasts of short series beside the naive one, on eight families of made-up series.

Constants were chosen on ``TUNING``, and what is reported is measured on ``REPORTED``: other seeds, other lengths of the
knees and steps, other noise. Run as ``python -m benchmarks.simulate_forecasts``; with ``--guests``, what statsforecast
adds where it is installed, on those and on longer series of families that repeat or grow.
"""

from __future__ import annotations

import argparse
import itertools
import math
import random
import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from benchmarks.ground import Ground
from benchmarks.rows import Row, Target
from windtunnel.returns.forecasts import forecast
from windtunnel.returns.guests import ABSENT, Guest, installed

GROUP = "forecast"
LEAST, MOST = 4, 18
LEVEL = 0.95
METRICS = 50
MOST_LONG = 10
"""Series of each long family: the library takes some three seconds for one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranges:
    """Where the parameters of the families are drawn from."""

    seed: int
    noise: tuple[float, float]
    slope: tuple[float, float]
    """Of trends, in units of their noise."""
    rate: tuple[float, float]
    """Of saturation, a step."""
    memory: tuple[float, float]
    """Of the autoregressive family."""
    spikes: tuple[float, float]
    """The share of spikes."""


TUNING = Ranges(seed=1, noise=(0.4, 1.6), slope=(-0.5, 2.5), rate=(0.1, 0.5), memory=(0.2, 0.7), spikes=(0.05, 0.25))
REPORTED = Ranges(seed=20_001, noise=(0.5, 2.0), slope=(-1.0, 2.0), rate=(0.15, 0.6), memory=(0.3, 0.8),
                  spikes=(0.08, 0.2))

Family = Callable[[random.Random, Ranges, int], list[float]]


def trend(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    """As yearly figures go: a random walk with a drift that itself changes slowly, and some noise of measuring."""
    noise = chance.uniform(*ranges.noise)
    level, slope = chance.uniform(20, 60) * noise, chance.uniform(*ranges.slope) * noise
    made = []
    for _ in range(count):
        slope += chance.gauss(0, 0.2 * noise)
        level += slope + chance.gauss(0, noise)
        made.append(level + chance.gauss(0, 0.3 * noise))
    return made


def saturating(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    rate, noise, most = chance.uniform(*ranges.rate), chance.uniform(*ranges.noise), 20.0
    return [most * (1 - math.exp(-rate * at)) + chance.gauss(0, noise / 2) for at in range(count)]


def plateau(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    noise = chance.uniform(*ranges.noise)
    return [50 + chance.gauss(0, noise) for _ in range(count)]


def random_walk(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    noise, level, made = chance.uniform(*ranges.noise), 0.0, []
    for _ in range(count):
        level += chance.gauss(0, noise)
        made.append(level)
    return made


def step_change(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    """A level that jumped once, somewhere before the last known value."""
    noise, at = chance.uniform(*ranges.noise), chance.randrange(1, count - 1)
    height = chance.choice((-1, 1)) * chance.uniform(4, 10) * noise
    return [30 + (height if now >= at else 0) + chance.gauss(0, noise) for now in range(count)]


def autoregressive(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    memory, noise = chance.uniform(*ranges.memory), chance.uniform(*ranges.noise)
    now, made = chance.gauss(0, noise / math.sqrt(1 - memory**2)), []
    for _ in range(count):
        now = memory * now + chance.gauss(0, noise)
        made.append(10 + now)
    return made


def bounded(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    """A percentage that wanders and is cut off at its ends."""
    noise, level, made = chance.uniform(*ranges.noise) * 3, chance.uniform(60, 99), []
    for _ in range(count):
        level = min(100.0, max(0.0, level + chance.gauss(0.3, noise)))
        made.append(level)
    return made


def spiky(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    """Latencies: lognormal around a base, now and then several times that."""
    share, spread = chance.uniform(*ranges.spikes), chance.uniform(*ranges.noise) * 0.2
    return [20 * math.exp(chance.gauss(0, spread)) * (chance.uniform(2, 5) if chance.random() < share else 1)
            for _ in range(count)]


FAMILIES: Mapping[str, Family] = {
    "trend": trend, "saturating": saturating, "plateau": plateau, "random walk": random_walk, "step": step_change,
    "autoregressive": autoregressive, "bounded": bounded, "spiky": spiky}


def zigzag(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    """What was high is low next."""
    memory, noise, now, made = -chance.uniform(0.5, 0.9), chance.uniform(*ranges.noise), 0.0, []
    for _ in range(count):
        now = memory * now + chance.gauss(0, noise)
        made.append(50 + now)
    return made


def waves(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    """Cycles of four to eight values that nobody wound up."""
    fading, turn, noise = chance.uniform(0.85, 0.97), chance.uniform(0.8, 1.6), chance.uniform(*ranges.noise)
    made = [0.0, 0.0]
    for _ in range(count):
        made.append(2 * fading * math.cos(turn) * made[-1] - fading**2 * made[-2] + chance.gauss(0, noise))
    return [30 + value for value in made[-count:]]


def growth(chance: random.Random, ranges: Ranges, count: int) -> list[float]:
    """A few percent more each time."""
    rate, noise = chance.uniform(0.04, 0.1), chance.uniform(*ranges.noise) / 100
    return [10 * math.exp(rate * at) * (1 + chance.gauss(0, noise)) for at in range(count)]


LONG: Mapping[str, Family] = {
    "zigzag": zigzag, "waves": waves, "growth": growth, "random walk": random_walk, "autoregressive": autoregressive}
LONG_LEAST, LONG_MOST = 20, 36


def cases(
    ranges: Ranges, *, runs: int, families: Mapping[str, Family] = FAMILIES, least: int = LEAST, most: int = MOST,
) -> Iterator[tuple[str, list[float]]]:
    """So many series of each family, each with the value to be foretold at its end."""
    for name, family in families.items():
        chance = random.Random(f"{ranges.seed} {name}")
        for _ in range(runs):
            yield name, family(chance, ranges, chance.randint(least, most) + 1)


def scale(history: Sequence[float]) -> float:
    """The mean absolute first difference."""
    return statistics.fmean(abs(after - before) for before, after in itertools.pairwise(history))


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of one family, or of all."""

    error: float
    """Mean of |error| / scale."""
    naive: float
    covered: float
    series: int


def measure(
    ranges: Ranges, *, runs: int, guests: Mapping[str, Guest] = MappingProxyType({}), long: bool = False,
) -> dict[str, Figures]:
    """By family, and under ``all`` the plain mean of the families."""
    found: dict[str, list[tuple[float, float, float]]] = {}
    given = cases(ranges, runs=runs, families=LONG, least=LONG_LEAST, most=LONG_MOST) if long else cases(
        ranges, runs=runs)
    for name, series in given:
        history, truth = series[:-1], series[-1]
        unit = scale(history)
        if unit == 0:
            continue
        told = forecast(history, level=LEVEL, guests=guests)
        assert told.low is not None
        assert told.high is not None
        found.setdefault(name, []).append((
            abs(told.value - truth) / unit, abs(history[-1] - truth) / unit, float(told.low <= truth <= told.high)))
    figures = {name: _figures(rows) for name, rows in found.items()}
    each = tuple(figures.values())
    return {**figures, "all": Figures(
        error=statistics.fmean(one.error for one in each), naive=statistics.fmean(one.naive for one in each),
        covered=statistics.fmean(one.covered for one in each), series=sum(one.series for one in each))}


def _figures(rows: Sequence[tuple[float, float, float]]) -> Figures:
    error, naive, covered = (statistics.fmean(column) for column in zip(*rows, strict=True))
    return Figures(error=error, naive=naive, covered=covered, series=len(rows))


def seconds_of(metrics: int = METRICS) -> float:
    """One forecast of each of so many metrics with the longest of the short histories."""
    chance = random.Random(3)
    histories = [random_walk(chance, REPORTED, MOST) for _ in range(metrics)]
    began = time.perf_counter()
    for history in histories:
        forecast(history, level=LEVEL, guests={})
    return time.perf_counter() - began


def rows(ground: Ground) -> Iterator[Row]:
    """The three figures that were aimed at."""
    figures = measure(REPORTED, runs=10 * ground.scale.runs)["all"]
    told = f"{figures.series} series of {len(FAMILIES)} families"
    yield Row(group=GROUP, name="scaled error of a forecast, 4 to 18 points", value=figures.error, unit="", of="value",
              beside="naive", other=figures.naive, target=Target(limit=0.97), note=told)
    yield Row(group=GROUP, name="coverage of 95 % intervals", value=100 * figures.covered, unit="%", of="value",
              target=Target(limit=93.0, least=True), note="97 % at most is wanted")
    yield Row(group=GROUP, name="forecasts of 50 metrics", value=1000 * seconds_of(), of="value",
              target=Target(limit=300.0))
    yield guests_row(runs=min(MOST_LONG, ground.scale.runs))


def guests_row(*, runs: int) -> Row:
    """Longer series with statsforecast beside our own mixture, and without."""
    name = "scaled error with statsforecast beside, 20 to 36 points"
    if not installed():
        return Row(group=GROUP, name=name, missing="statsforecast is not installed")
    with_guests, ours = (measure(REPORTED, runs=runs, guests=guests, long=True)["all"] for guests in (installed(), {}))
    return Row(group=GROUP, name=name, value=with_guests.error, unit="", of="value", beside="our own mixture alone",
               other=ours.error, note=f"{ours.series} series of {len(LONG)} families; "
                                      f"95 % intervals cover {100 * with_guests.covered:.0f} %")


def main() -> None:
    made = argparse.ArgumentParser(prog="python -m benchmarks.simulate_forecasts", description=__doc__)
    made.add_argument("--runs", type=int, default=2000, help="series of each family (default %(default)s)")
    made.add_argument("--tuning", action="store_true", help="on the series that constants were chosen on")
    made.add_argument("--guests", action="store_true", help="with statsforecast, if it is installed")
    made.add_argument("--long", action="store_true", help="longer series of other families")
    chosen = made.parse_args()
    guests = installed() if chosen.guests else {}
    if chosen.guests and not guests:
        raise SystemExit(ABSENT)
    for name, figures in measure(TUNING if chosen.tuning else REPORTED, runs=chosen.runs, guests=guests,
                                 long=chosen.long).items():
        print(f"{name:15} error {figures.error:.3f}  naive {figures.naive:.3f}  covered {figures.covered:.3f}  "
              f"series {figures.series}")
    print(f"{METRICS} metrics in {1000 * seconds_of():.0f} ms")


if __name__ == "__main__":
    main()
