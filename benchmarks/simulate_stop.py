"""The stop rule on made-up runs: steady gains that must not be cut off, and plateaus that must be seen.

Constants were chosen on ``TUNING``; what is reported is measured on ``REPORTED``: other seeds and other gains, and the
cases of the issue. ``python -m benchmarks.simulate_stop`` prints both sorts of figures and the bound that no rule can
beat on bursty gains.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from benchmarks.ground import Ground
from benchmarks.rows import Row, Target
from windtunnel.returns.stopping import advise

GROUP = "stop"
COST = 0.01
SHORT, LONG = 40, 70
SOON = 10
RUNS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """Gains of one kind."""

    gain: Callable[[random.Random, int], float]
    """Of the cycle of this number."""
    knee: int | None = None
    """From which cycle on gains are below the cost; none where that never happens."""

    @property
    def cycles(self) -> int:
        return SHORT if self.knee is None else LONG


def constant(mean: float, spread: float) -> Case:
    return Case(gain=lambda chance, _: chance.gauss(mean, spread))


def accelerating(first: float, more: float, spread: float) -> Case:
    return Case(gain=lambda chance, at: first + more * at + chance.gauss(0, spread))


def bursts(rate: float, size: float, *, until: int | None = None) -> Case:
    return Case(gain=lambda chance, at: size * ((until is None or at < until) and chance.random() < rate), knee=until)


def saturating(first: float, life: float, spread: float) -> Case:
    return Case(gain=lambda chance, at: first * math.exp(-at / life) + chance.gauss(0, spread),
                knee=math.ceil(life * math.log(first / COST)))


def plateau(mean: float, spread: float, knee: int) -> Case:
    return Case(gain=lambda chance, at: chance.gauss(mean if at < knee else 0, spread), knee=knee)


TUNING: Mapping[str, Case] = {
    "constant .04 sd .02": constant(0.04, 0.02), "constant .06 sd .06": constant(0.06, 0.06),
    "accelerating": accelerating(0.015, 0.003, 0.015), "bursty, 25 % gain .2": bursts(0.25, 0.2),
    "saturating sd .005": saturating(0.08, 5, 0.005), "saturating sd .02": saturating(0.12, 8, 0.02),
    "hard plateau": plateau(0.06, 0.03, 15), "bursts that end": bursts(0.3, 0.25, until=25)}
REPORTED: Mapping[str, Case] = {
    "constant .05 sd .02": constant(0.05, 0.02), "constant .05 sd .05": constant(0.05, 0.05),
    "accelerating": accelerating(0.02, 0.002, 0.02), "bursty, 20 % gain .3": bursts(0.2, 0.3),
    "saturating sd .005": saturating(0.1, 6, 0.005), "saturating sd .02": saturating(0.1, 6, 0.02),
    "hard plateau": plateau(0.05, 0.02, 20), "bursts that end": bursts(0.2, 0.3, until=30)}
SEEDS = {"tuning": 1, "reported": 70_001}


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Of one case; where there is no knee, each stop is a false one."""

    stopped: float
    """The share of runs that were stopped."""
    early: float
    """The share that was stopped while gains still paid."""
    delay: float | None
    """Mean cycles after the knee."""
    soon: float
    """The share that was stopped within ten cycles after it."""


def stopped_at(case: Case, chance: random.Random) -> int | None:
    gains: list[float] = []
    for at in range(case.cycles):
        gains.append(case.gain(chance, at))
        if advise(gains, cost=COST).stop:
            return at + 1
    return None


def measure(case: Case, *, runs: int, seed: int) -> Figures:
    chance = random.Random(seed)
    stops = [stopped_at(case, chance) for _ in range(runs)]
    found = [stop for stop in stops if stop is not None]
    knee = case.knee if case.knee is not None else case.cycles + 1
    return Figures(
        stopped=len(found) / runs, early=sum(stop < knee for stop in found) / runs,
        delay=statistics.fmean(stop - knee for stop in found) if found and case.knee is not None else None,
        soon=sum(knee <= stop <= knee + SOON for stop in found) / runs)


def longest_drought(rate: float, *, cycles: int, drought: int) -> float:
    """The chance that bursts of this rate pause for at least ``drought`` cycles somewhere in so many cycles.

    Whoever stops after so many gainless cycles stops this share of runs that still pay: no rule that sees gains alone
    can tell such a pause from the end.
    """
    states = [1.0] + [0.0] * drought
    for _ in range(cycles):
        moved = [rate * math.fsum(states[:-1])] + [(1 - rate) * share for share in states[:-1]]
        moved[-1] += states[-1]
        states = moved
    return states[-1]


def rows(ground: Ground) -> Iterator[Row]:
    """The targets of the issue."""
    runs = ground.scale.runs
    for name, case in REPORTED.items():
        figures = measure(case, runs=runs, seed=SEEDS["reported"])
        if case.knee is None:
            yield Row(group=GROUP, name=f"false stops, {name}", value=100 * figures.early, unit="%", of="value",
                      target=Target(limit=3.0), note=f"{runs} runs of {case.cycles} cycles")
        else:
            yield Row(group=GROUP, name=f"cycles after the knee, {name}", value=figures.delay, unit="cycles",
                      of="value", target=None if name == "bursts that end" else Target(limit=float(SOON)),
                      missing=None if figures.delay is not None else "never stopped",
                      note=f"seen in {100 * figures.stopped:.0f} %, before the knee {100 * figures.early:.0f} %, "
                           f"within {SOON} cycles {100 * figures.soon:.0f} %")


def main() -> None:
    made = argparse.ArgumentParser(prog="python -m benchmarks.simulate_stop", description=__doc__)
    made.add_argument("--runs", type=int, default=RUNS)
    made.add_argument("--tuning", action="store_true", help="the cases that constants were chosen on")
    chosen = made.parse_args()
    kind, cases = ("tuning", TUNING) if chosen.tuning else ("reported", REPORTED)
    for name, case in cases.items():
        figures = measure(case, runs=chosen.runs, seed=SEEDS[kind])
        delay = "" if figures.delay is None else f"  delay {figures.delay:+.1f}  within {SOON}: {figures.soon:.3f}"
        print(f"{name:22} stopped {figures.stopped:.3f}  too early {figures.early:.3f}{delay}", flush=True)
    for drought in (SOON, 18, 22, 24):
        print(f"bursts of 20 % pause for {drought} of {SHORT} cycles or more in "
              f"{100 * longest_drought(0.2, cycles=SHORT, drought=drought):.1f} % of runs")


if __name__ == "__main__":
    main()
