"""Improving: how often the test that decides is wrong, and what becomes of planted inefficiencies and of decoys."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks import simulate_improve_timing as timed
from benchmarks.ground import SMALL, Ground
from benchmarks.rows import Row, Target
from windtunnel.core.errors import WindtunnelError
from windtunnel.engine.improve.asked import Improve
from windtunnel.engine.improve.improvement import Improvement
from windtunnel.engine.improve.verb import improve

GROUP = "simulate"
CORPUS = Path(__file__).resolve().parent.parent / "tests" / "corpus" / "inefficiencies"
KNOWN, HELD, DECOYS = "known", "held", "decoys"
SAME_TRIALS, GAIN_TRIALS = 500, 200
SEEDS = {"same": 100_000, "gain": 200_000}
"""Those that were tried while the test was made are others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One project of the corpus, and what came of it."""

    group: str
    name: str
    result: Improvement | WindtunnelError

    @property
    def improved(self) -> bool:
        return isinstance(self.result, Improvement) and self.result.success

    @property
    def regressed(self) -> bool:
        """Kept though it must be left alone, or slower in the end, or not as it was on disk."""
        if not isinstance(self.result, Improvement):
            return False
        kept = bool(self.result.kept)
        return not self.result.untouched or (kept and self.group == DECOYS) or (
            kept and (self.result.low is None or self.result.low <= 0))

    def told(self) -> str:
        if not isinstance(self.result, Improvement):
            return f"{self.group}/{self.name}: not run: {self.result}"
        steps = "; ".join(f"{step.rule}: {step.why}" for step in self.result.steps) or "nothing proposed"
        return f"{self.group}/{self.name}: {self.result.state}: {steps[:300]}"


def rows(ground: Ground) -> Iterator[Row]:
    """The figures; a line on standard error would be lost, so what is to be read is in the notes."""
    small = ground.scale is SMALL
    yield from timing_rows(ground, same=1 if small else SAME_TRIALS, gain=1 if small else GAIN_TRIALS)
    yield from corpus_rows([*cases(ground, most=1 if small else None)])


def timing_rows(ground: Ground, *, same: int, gain: int, tell: Callable[[str], None] = lambda _: None) -> Iterator[Row]:
    """Real timings in sandboxes, each comparison on its own."""
    with timed.stand(ground, rounds=timed.SHORT) as stand:
        alike = timed.outcome(stand, same, rounds=timed.SHORT, seed=SEEDS["same"], tell=tell)
    yield Row(group=GROUP, name="the same code kept as faster", value=100 * alike.kept, unit="%", of="value",
              target=Target(limit=1.0), note=f"{same} comparisons, {alike.pairs:.0f} pairs each in the median")
    with timed.stand(ground, rounds=timed.ROUNDS) as stand:
        less = timed.outcome(stand, gain, rounds=timed.rounds_for(stand, timed.GAIN), seed=SEEDS["gain"], tell=tell)
    yield Row(group=GROUP, name="5 % less time kept within 40 pairs", value=100 * less.kept, unit="%", of="value",
              target=Target(limit=90.0, least=True),
              note=f"{gain} comparisons, {less.pairs:.0f} pairs each in the median, one run a side of about 40 ms")


def cases(
    ground: Ground, *, most: int | None = None, groups: tuple[str, ...] = (KNOWN, HELD, DECOYS),
) -> Iterator[Case]:
    """Each project in a copy of its own, once."""
    folders = [(group, folder) for group in groups for folder in sorted((CORPUS / group).iterdir())[:most]]
    with ground.tunnel(pool_size=0) as tunnel:
        for group, folder in folders:
            place = ground.folder / f"{group}-{folder.name}"
            shutil.copytree(folder / "project", place, ignore=shutil.ignore_patterns("__pycache__"))
            try:
                result: Improvement | WindtunnelError = improve(tunnel.rig, Improve(project=place, seconds=300.0))
            except WindtunnelError as failure:
                result = failure
            yield Case(group=group, name=folder.name, result=result)


def corpus_rows(found: list[Case]) -> Iterator[Row]:
    """Of all cases together; those held out also by themselves."""
    slow, held = [one for one in found if one.group != DECOYS], [one for one in found if one.group == HELD]
    left = [one for one in slow if not one.improved]
    note = f"held out: {sum(one.improved for one in held)} of {len(held)}"
    yield Row(group=GROUP, name="planted inefficiencies improved and kept", value=sum(one.improved for one in slow),
              unit=f"of {len(slow)}", of="value", target=Target(limit=8.0, least=True),
              note="; ".join([note, *(f"not {one.name}" for one in left)]))
    wrong = [one.name for one in found if one.regressed]
    yield Row(group=GROUP, name="regressions kept, decoys among them", value=len(wrong), unit=f"of {len(found)}",
              of="value", target=Target(limit=0.0), note=", ".join(wrong) or "none")
