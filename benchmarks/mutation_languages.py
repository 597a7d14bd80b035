"""How many mutants a second are judged in languages other than Python, on the small projects of the tests.

``python -m benchmarks.mutation_languages [TOOL…]`` prints a line for each test command: mutants, those that were really
tried, seconds from the first clean run to the last fate, fates a second, processor seconds of one run of the tests from
what was built before, and the load of the machine.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from windtunnel.config import Settings
from windtunnel.engine.foreign.warm import warmed
from windtunnel.engine.mutation import Mutation, mutate
from windtunnel.tunnel import Tunnel

sys.path.insert(0, str(Path(__file__).parent.parent / "tests/mutation"))
import foreign_projects as projects


def measured(tool: str, folder: Path) -> str:
    """One line."""
    project, path, _ = projects.project_of(tool, folder / "project")
    with Tunnel(Settings(state_dir=folder / "state", cache_dir=folder / "cache"), pool_size=0) as tunnel:
        begun = time.monotonic()
        result = mutate(tunnel.rig, Mutation(project=project, paths=(path,), seconds=1200.0))
        seconds = time.monotonic() - begun
        one = _one_run(tunnel, project)
    counts = ", ".join(f"{count} {fate}" for fate, count in result.counts.items())
    return (f"{tool:10} {len(result.judged):3} mutants ({counts}), {result.tries} tried in {seconds:.1f} s: "
            f"{len(result.judged) / seconds:.2f}/s; one run {one:.2f} s of processor; load {os.getloadavg()[0]:.1f}")


def _one_run(tunnel: Tunnel, project: Path) -> float:
    bench = projects.bench(tunnel, project)
    first = bench.clean()
    with warmed(bench.rig, bench.ground, first.products, folders=bench.family.products) as ground:
        made = bench if ground is None else replace(bench, ground=ground)
        return made.again().usage.cpu_seconds or 0.0


def main(tools: list[str]) -> None:
    """All of them where none is named."""
    for tool in tools or list(projects.PROJECTS):
        with tempfile.TemporaryDirectory(prefix="windtunnel-languages-") as folder:
            print(measured(tool, Path(folder)), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
