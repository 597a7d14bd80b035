"""How often the sequential test is wrong, on real timings of this machine: the same code twice, and 5 % less."""

from __future__ import annotations

import contextlib
import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from benchmarks.ground import Ground
from windtunnel.core.limits import Limits
from windtunnel.engine.improve import timing
from windtunnel.engine.improve.pacer import Pacer
from windtunnel.engine.improve.stand import Stand, stand_of
from windtunnel.speedups.compare import Answer, Standing

PROGRAM = """\
def work(rounds):
    total = 0
    for at in range(rounds):
        total += at * at % 7
    return total

work({rounds})
print("done")
"""
ROUNDS = 280_000
"""About 30 ms beside the start of the interpreter; short, so that the noise is more than a user has."""
SHORT = 60_000
"""Shorter still, for what is asked often."""
PAIR_SECONDS = 0.01
"""So one run a side and pair, where a user's short workloads run several times: 40 pairs are 40 runs of each."""
GAIN = 0.05
TOGETHER = 25
"""Trials for which the same two sandboxes stay; each run of the program is a process of its own all the same."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Of some comparisons."""

    standings: tuple[Standing, ...]

    @property
    def kept(self) -> float:
        """The share that said keep."""
        return sum(one.answer is Answer.KEEP for one in self.standings) / len(self.standings)

    @property
    def pairs(self) -> float:
        """The median number of pairs until it was decided."""
        return statistics.median(one.pairs for one in self.standings)


@contextlib.contextmanager
def stand(ground: Ground, *, rounds: int) -> Iterator[Stand]:
    """The program as a project of its own."""
    folder = ground.folder / f"timed-{rounds}"
    folder.mkdir(exist_ok=True)
    (folder / "work.py").write_text(PROGRAM.format(rounds=rounds))
    with ground.tunnel(pool_size=0) as tunnel:
        yield stand_of(tunnel.rig, str(folder), workload=("python", "-I", "-S", "work.py"),
                       limits=Limits(wall_seconds=3600.0))


def rounds_for(one: Stand, gain: float) -> int:
    """So many that the whole program, the start of the interpreter included, takes that much less."""
    with Pacer(one, {}, hash_seed=1) as whole, Pacer(one, _texts(1), hash_seed=1) as start:
        whole.ready()
        start.ready()
        standing = timing.decided(whole, start, seed=1)
    share = max(0.05, 1 - standing.after_seconds / standing.before_seconds)
    return round(ROUNDS * (1 - gain / share))


def outcome(one: Stand, count: int, *, rounds: int, seed: int, tell: Callable[[str], None] = lambda _: None) -> Outcome:
    """So many comparisons of the program with itself at another number of rounds."""
    return Outcome(tuple(_standings(one, count, rounds=rounds, seed=seed, tell=tell)))


def _standings(
    one: Stand, count: int, *, rounds: int, seed: int, tell: Callable[[str], None],
) -> Iterator[Standing]:
    for begin in range(0, count, TOGETHER):
        with Pacer(one, {}, hash_seed=seed + begin + 1) as old, Pacer(
                one, _texts(rounds), hash_seed=seed + begin + 1) as new:
            old.ready()
            new.ready()
            for at in range(begin, min(count, begin + TOGETHER)):
                found = timing.decided(old, new, seed=seed + at, pair_seconds=PAIR_SECONDS).standing
                tell(f"{at} {found.answer} {found.pairs} {found.gain:.4f} {found.low:.4f} {found.high:.4f}")
                yield found


def _texts(rounds: int) -> Mapping[str, str]:
    return {"work.py": PROGRAM.format(rounds=rounds)}
