"""How many public functions of five small packages return normally, and how much of the packages their inputs run.

``python -m benchmarks.simulate_inputs`` measures the five below, which nothing was tuned on; with paths of other
packages it measures those. Of each package: public functions of modules that are public themselves, the same for
methods, properties and classes, and what coverage.py says of lines and branches of the whole package (its private code
and what runs at import included, its tests not) when the calls that were kept are made again.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.ground import ROOT, Ground
from benchmarks.rows import Row, Target
from windtunnel.config import Settings
from windtunnel.core.section import Called, Ending, SectionKind
from windtunnel.core.testfile import is_test
from windtunnel.engine.simulate.calling import Place, explore_in, job_of, limits_of
from windtunnel.sections.find import find
from windtunnel.tunnel import Tunnel

PROJECTS = ROOT / ".tools" / "projects"
REPORTED = ("toolz", "more_itertools", "parse", "iniconfig", "packaging")
"""Nothing in the search was tuned on these."""
LEAST_RETURNED, LEAST_COVERED = 0.95, 0.70
GROUP = "simulate"
_COVER = """
import json, os, signal, sys
order = json.loads(sys.stdin.buffer.read())
import coverage
out = os.dup(1)
from windtunnel_section_forks import silent
from windtunnel_section_host import _loaded
from windtunnel_section_call import Caller, calm
from windtunnel_section_target import Target
silent()
root = os.getcwd()
sys.path[:0] = [root]
files = [os.path.join(root, path) for path in order["files"]]
measured = coverage.Coverage(branch=True, data_file=None, include=files)
class Late(BaseException):
    pass
def late(*given):
    raise Late
signal.signal(signal.SIGALRM, late)
measured.start()
for row in order["sections"]:
    try:
        caller = Caller(Target(row, _loaded(row["module"], os.path.join(root, row["path"]))), 0)
        for inputs in row["calls"]:
            calm("/tmp/section")
            signal.setitimer(signal.ITIMER_REAL, 2.0)
            try:
                caller(tuple(map(tuple, inputs)))
            except Late:
                pass
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
    except BaseException:
        pass
measured.stop()
os.chdir("/tmp")
measured.json_report(outfile="/tmp/coverage-of-sections.json")
with open("/tmp/coverage-of-sections.json") as file:
    told = json.load(file)
shares = {name: one["summary"]["percent_covered"] for name, one in told["files"].items()}
os.write(out, json.dumps({"totals": told["totals"], "files": shares}).encode())
os._exit(0)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """Of one package."""

    package: str
    functions: int
    functions_returned: int
    others: int
    """Public classes, methods and properties."""
    others_returned: int
    covered: int
    """Lines and branches."""
    coverable: int
    seconds: float
    missed: tuple[str, ...] = ()
    """Functions that did not return once."""
    files: tuple[tuple[str, float], ...] = ()


def measure(package: Path, *, seed: int = 1, calls: int = 24, seconds: float = 2.0) -> Figure:
    """Explore one package in a real sandbox, then make the kept calls again under coverage.py, in another."""
    os.environ.setdefault("VIRTUAL_ENV", str(PROJECTS))
    with tempfile.TemporaryDirectory(prefix="windtunnel-inputs-") as made:
        project = _laid(package, Path(made, "project"))
        settings = Settings(state_dir=Path(made, "state"), cache_dir=Path(made, "cache"))
        with Tunnel(settings, pool_size=0) as tunnel:
            place, sections = Place(project=str(project)), find(project).sections
            place = replace(place, limits=replace(limits_of(tunnel.rig, place), wall_seconds=tunnel.rig.trial_seconds))
            began = time.monotonic()
            called = explore_in(tunnel.rig, place, sections=sections, seed=seed, calls=calls, seconds=seconds,
                                jobs=os.cpu_count() or 1).called
            took = time.monotonic() - began
            told = _covered(tunnel, place, called, project)
    return _figure(package.stem, called, told, took)


def _laid(package: Path, project: Path) -> Path:
    """The package alone, as it is installed."""
    project.mkdir()
    if package.is_dir():
        shutil.copytree(package, project / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copy(package, project)
    return project


def _covered(tunnel: Tunnel, place: Place, called: Sequence[Called], project: Path) -> dict[str, dict[str, float]]:
    rows = [{"id": one.section.id, "path": one.section.path, "module": one.section.module, "name": one.section.name,
             "kind": str(one.section.kind), "root": one.section.root, "calls": [
                 [*([[".", end.call.receiver]] if end.call.receiver else []), *map(list, end.call.arguments)]
                 for end in one.ends if end.how in (Ending.RETURNED, Ending.RAISED)]} for one in called]
    files = [path.relative_to(project).as_posix() for path in project.rglob("*.py")]
    order = {"sections": rows, "files": [path for path in files if not is_test(path)]}
    job = job_of(tunnel.rig, place, json.dumps(order).encode(), seed=0, more={"cover.py": _COVER.encode()})
    command = replace(job.command, argv=(job.command.argv[0], "/sandbox/cover.py"))
    result = tunnel.rig.sandbox.run(replace(job, command=command))
    if not result.stdout_bytes:
        raise RuntimeError(result.stderr[-500:] or str(result.reason))
    told: dict[str, dict[str, float]] = json.loads(result.stdout_bytes)
    return told


def _figure(name: str, called: Sequence[Called], told: dict[str, dict[str, float]], took: float) -> Figure:
    public = [one for one in called if one.section.public]
    functions = [one for one in public if one.section.kind is SectionKind.FUNCTION]
    others = [one for one in public if one.section.kind is not SectionKind.FUNCTION]
    totals = told["totals"]
    return Figure(
        package=name, functions=len(functions), functions_returned=sum(one.returned for one in functions),
        others=len(others), others_returned=sum(one.returned for one in others),
        covered=int(totals["covered_lines"] + totals["covered_branches"]),
        coverable=int(totals["num_statements"] + totals["num_branches"]), seconds=took,
        missed=tuple(one.section.id + (f" ({one.failed})" if one.failed else "") for one in [*functions, *others]
                     if not one.returned),
        files=tuple(sorted(told["files"].items())))


def lines(figures: Sequence[Figure]) -> list[str]:
    """A table, and the sum of it."""
    rows = [f"{'package':16} {'functions':>12} {'others':>12} {'covered':>9} {'seconds':>8}"]
    rows += [f"{one.package:16} {one.functions_returned:>5}/{one.functions:<6} "
             f"{one.others_returned:>5}/{one.others:<6} {one.covered / max(1, one.coverable):>8.1%} "
             f"{one.seconds:>8.1f}" for one in figures]
    functions, returned = sum(one.functions for one in figures), sum(one.functions_returned for one in figures)
    others, made = sum(one.others for one in figures), sum(one.others_returned for one in figures)
    covered, coverable = sum(one.covered for one in figures), sum(one.coverable for one in figures)
    rows.append(f"{'all':16} {returned:>5}/{functions:<6} {made:>5}/{others:<6} {covered / max(1, coverable):>8.1%} "
                f"{sum(one.seconds for one in figures):>8.1f}")
    rows.append(f"functions that return: {returned / max(1, functions):.1%} (wanted {LEAST_RETURNED:.0%}), "
                f"with classes and methods {(returned + made) / max(1, functions + others):.1%}; lines and branches: "
                f"{covered / max(1, coverable):.1%} (wanted {LEAST_COVERED:.0%})")
    return rows


def rows(ground: Ground) -> Iterator[Row]:
    """Of the five together; in the smallest setting, of the smallest."""
    few = reported() if ground.scale.runs > 10 else [path for path in reported() if path.stem == "iniconfig"]
    figures = [measure(package) for package in few]
    names = ", ".join(one.package for one in figures)
    functions, returned = sum(one.functions for one in figures), sum(one.functions_returned for one in figures)
    covered, coverable = sum(one.covered for one in figures), sum(one.coverable for one in figures)
    yield Row(group=GROUP, name="public functions that return normally at least once",
              value=100 * returned / max(1, functions), unit="%", of="value",
              target=Target(limit=100 * LEAST_RETURNED, least=True), note=f"{returned} of {functions}: {names}")
    yield Row(group=GROUP, name="lines and branches that the inputs run", value=100 * covered / max(1, coverable),
              unit="%", of="value", target=Target(limit=100 * LEAST_COVERED, least=True),
              note=f"{covered} of {coverable}, of whole packages")


def reported() -> list[Path]:
    """Where the five lie."""
    folder = next(PROJECTS.glob("lib/python3*/site-packages"))
    return [folder / name if (folder / name).is_dir() else folder / f"{name}.py" for name in REPORTED]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.simulate_inputs", description=__doc__.splitlines()[0])
    parser.add_argument("packages", nargs="*", type=Path, help="others than the five")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--calls", type=int, default=24)
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--missed", action="store_true", help="name what did not return")
    given = parser.parse_args(arguments)
    figures: list[Figure] = []
    for package in given.packages or reported():
        figures.append(measure(package, seed=given.seed, calls=given.calls, seconds=given.seconds))
        print(lines(figures[-1:])[1], flush=True)
    print("\n".join(lines(figures)))
    if given.missed:
        print("\n".join(f"  {name}" for one in figures for name in one.missed))
        print("\n".join(f"  {name}: {share:.0f} %" for one in figures for name, share in one.files))
    return 0


if __name__ == "__main__":
    sys.exit(main())
