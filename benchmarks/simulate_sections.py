"""Sections under scenarios: how many a second, and whether what breaks is named with what breaks it."""

from __future__ import annotations

import time
from collections.abc import Iterator

from benchmarks.ground import Ground
from benchmarks.rows import Row, Target
from benchmarks.simulate_faults import PROJECT, count
from windtunnel.core.simulation import Simulation
from windtunnel.engine.simulate.course import Course, Plan
from windtunnel.scenarios.preset import read_presets
from windtunnel.sections.find import find

GROUP = "simulate"
LEAST_RATE, LEAST_FOUND = 50.0, 27.0
_FUNCTIONS, _SCENARIOS = 200, 4
_SMALL = "def f{n}(a: int, b: int = {n}) -> int:\n    return (a * {n} + b) % 97\n\n"
_PRESETS = [{"SCENARIO_NAME": f"s{number}", "CPU_LIMIT": 1, "MEMORY_LIMIT": f"{200 + number}Mi"}
            for number in range(_SCENARIOS)]


def rows(ground: Ground) -> Iterator[Row]:
    """The rate of small pure functions, then the corpus of frail and sound ones."""
    yield _rate(ground)
    yield from _frailties(ground)


def _rate(ground: Ground) -> Row:
    folder = ground.folder / "small"
    folder.mkdir()
    few = _FUNCTIONS if ground.scale.runs > 10 else 10
    (folder / "small.py").write_text("".join(_SMALL.format(n=number) for number in range(few)))
    with ground.tunnel(pool_size=0) as tunnel:
        course = Course(tunnel.rig, Plan(
            project=str(folder), sections=find(folder).sections, calls=2,
            scenarios=read_presets(_PRESETS, source="benchmark")))
        course.calm()
        began = time.perf_counter()
        told = course.under([(one, course.known.calms) for one in course.plan.scenarios], repeats=1)
        seconds = time.perf_counter() - began
    runs = sum(map(len, told))
    return Row(group=GROUP, name="section runs of small pure functions", value=runs / seconds, unit="/s", of="value",
               target=Target(limit=LEAST_RATE, least=True),
               note=f"{few} functions under {_SCENARIOS} scenarios, 2 sandboxes at once, a process for each function")


def _frailties(ground: Ground) -> Iterator[Row]:
    if ground.scale.runs <= 10:  # the corpus takes minutes
        return
    with ground.tunnel(pool_size=0) as tunnel:
        made = tunnel.simulate(PROJECT, measure=False)
    found = count(_named(made))
    note = (f"{len(made.scenarios)} conditions, {made.section_runs} section runs in {made.seconds:.0f} s; misnamed "
            f"{', '.join(found.misnamed) or 'none'}; missed {', '.join(found.missed) or 'none'}")
    yield Row(group=GROUP, name="frail functions found and named with the right condition, of 30", unit="", of="value",
              value=float(len(found.found)), target=Target(limit=LEAST_FOUND, least=True), note=note)
    yield Row(group=GROUP, name="sound functions blamed, of 119", value=float(len(found.blamed)), unit="", of="value",
              target=Target(limit=0), note=", ".join(found.blamed))


def _named(made: Simulation) -> dict[str, tuple[str, ...]]:
    """As the corpus names its functions, ``shop.module.function``; it says nothing of private ones."""
    modules = {one.id: f"{one.module}.{one.name}" for one in made.sections if one.public}
    return {modules[one.section]: one.conditions for one in made.blames if one.section in modules}

