"""Other tools that judge mutants, on the same files with the same tests and cores, for a bounded time each.

Their start-up is not counted against them: making mutants, first runs of the tests, plans. What counts is what they
judged between their first mutant and the end of the time, without mutants that no test reaches, as on our side. Each
gets as many processes as there are cores, and its own usual way of choosing tests.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shlex
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ground import Ground, plain_environment
from benchmarks.mutation_packages import PYTEST, Project, size_of
from benchmarks.mutation_runs import end, memory_of
from benchmarks.peer_install import ABSENT
from benchmarks.timing import NotRun, timed

MUTMUT, COSMIC_RAY = "3.8.0", "8.7.0"
_INSTALL_SECONDS = 600
_READY_SECONDS = 240.0
"""For what comes before the first mutant."""
_LOOK_SECONDS = 0.2
_NO_TESTS = 33
"""What mutmut notes for a mutant that no test reaches."""
_TIMEOUT_SECONDS, _TIMEOUT_RUNS = 10.0, 3
"""For one mutant of cosmic-ray: so many seconds, or so many clean runs where that is more."""
_SEED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Peers:
    """Where they are."""

    folder: Path | None = None
    """Of the programs."""
    said: str = ABSENT

    def program(self, name: str) -> str:
        if self.folder is None:
            raise NotRun(self.said)
        return str(self.folder / name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """How many a second."""

    rate: float
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """One of them, and how many times as many we want to judge."""

    name: str
    times: float
    measure: Callable[[Ground, Project, Peers], Found]
    everywhere: bool
    """Whether it makes mutants outside of functions too."""


def install(ground: Ground) -> Peers:
    """Into an environment of their own that is thrown away; nothing unless asked to, a failure is remembered."""
    if not ground.install_peers:
        return Peers()
    folder = ground.folder / "mutation-peers"
    wanted = (f"mutmut=={MUTMUT}", f"cosmic-ray=={COSMIC_RAY}", f"pytest=={PYTEST}")
    python = str(folder / "bin" / "python")
    for argv in ([sys.executable, "-m", "venv", str(folder)],
                 [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *wanted]):
        done = subprocess.run(argv, capture_output=True, text=True, timeout=_INSTALL_SECONDS, check=False)
        if done.returncode:
            return Peers(said=f"not installed: {(done.stderr.strip().splitlines() or ['no word'])[-1][:120]}")
    return Peers(folder=folder / "bin")


def mutmut(ground: Ground, project: Project, peers: Peers) -> Found:
    """``mutmut run``; it takes the mutants whose tests are quickest first."""
    program, folder = peers.program("mutmut"), project.copy("mutmut")
    beside = sorted(path.name for path in folder.iterdir() if path.is_dir() and not path.name.startswith(".")
                    and path.name not in (project.package.product, project.package.tests))
    spared = [f"{project.package.product}/tests/*", *project.package.looked_into]
    with (folder / "pyproject.toml").open("a") as file:
        file.write(f"\n[tool.mutmut]\nsource_paths = [{json.dumps(project.package.product)}]\n"
                   f"also_copy = {json.dumps(beside)}\ndo_not_mutate = {json.dumps(spared)}\n"
                   f"pytest_add_cli_args_test_selection = [{json.dumps(project.package.tests)}]\n")

    def judged() -> int:
        return sum(_mutmut_judged(path) for path in folder.glob("mutants/**/*.meta"))

    said = folder / "mutmut.log"
    with _started([[program, "run", "--max-children", str(os.cpu_count() or 1)]], [folder], said) as watch:
        return watch.rate(judged, lambda: "Running mutation testing" in said.read_text(errors="replace"),
                          seconds=size_of(ground).peer_seconds)


def _mutmut_judged(path: Path) -> int:
    try:
        codes = json.loads(path.read_text())["exit_code_by_key"].values()
    except ValueError:
        return 0  # it is being written
    return sum(code not in (None, _NO_TESTS) for code in codes)


def cosmic_ray(ground: Ground, project: Project, peers: Peers) -> Found:
    """``cosmic-ray exec`` in as many copies as there are cores, each with mutants of its own in a random order."""
    program, cores = peers.program("cosmic-ray"), os.cpu_count() or 1
    folders = [project.copy(f"cosmic-{number}") for number in range(cores)]
    command = f"{peers.program('python')} -m pytest -x -q -p no:cacheprovider"
    clean = timed(lambda: subprocess.run(shlex.split(command), cwd=folders[0], env=plain_environment(), check=True,
                                         capture_output=True, timeout=_READY_SECONDS))
    timeout = max(_TIMEOUT_SECONDS, _TIMEOUT_RUNS * clean)
    for number, folder in enumerate(folders):
        (folder / "cosmic.toml").write_text(
            f'[cosmic-ray]\nmodule-path = "{project.package.product}"\ntimeout = {timeout:.1f}\n'
            f'excluded-modules = ["{project.package.product}/tests/*"]\ntest-command = {json.dumps(command)}\n'
            '[cosmic-ray.distributor]\nname = "local"\n')
        subprocess.run([program, "init", "cosmic.toml", "session.sqlite"], cwd=folder, env=plain_environment(),
                       check=True, capture_output=True, timeout=_READY_SECONDS)
        _deal(folder / "session.sqlite", part=number, of=cores)
    argvs = [[program, "exec", "cosmic.toml", "session.sqlite"]] * cores
    with _started(argvs, folders, folders[0] / "cosmic.log") as watch:
        return watch.rate(lambda: sum(_cosmic_judged(folder / "session.sqlite") for folder in folders),
                          lambda: True, seconds=size_of(ground).peer_seconds)


def _deal(session: Path, *, part: int, of: int) -> None:
    """Leave every so-many-th mutant of a random order, which is the same for all parts."""
    with contextlib.closing(sqlite3.connect(session)) as database, database:
        specs = database.execute(
            "SELECT * FROM mutation_specs ORDER BY module_path, operator_name, occurrence").fetchall()
        names = [column[1] for column in database.execute("PRAGMA table_info(mutation_specs)")]
        random.Random(_SEED).shuffle(specs)
        mine = specs[part::of]
        database.execute("DELETE FROM mutation_specs")
        database.execute("DELETE FROM work_items")
        jobs = [(row[names.index("job_id")],) for row in mine]
        database.executemany("INSERT INTO work_items (job_id) VALUES (?)", jobs)
        database.executemany(f"INSERT INTO mutation_specs VALUES ({', '.join('?' * len(names))})", mine)


def _cosmic_judged(session: Path) -> int:
    with contextlib.closing(sqlite3.connect(session, timeout=30)) as database:
        return int(database.execute("SELECT count(*) FROM work_results").fetchone()[0])


class _Watch:
    """Looks at what is under way until the time is over."""

    def __init__(self, processes: Sequence[subprocess.Popen[bytes]], said: Path) -> None:
        self.processes, self.said, self.peak = processes, said, 0

    def rate(self, judged: Callable[[], int], ready: Callable[[], bool], *, seconds: float) -> Found:
        """From when it is ready; a first mutant or two that were under way then count for it."""
        before = time.perf_counter()
        self._until(ready, seconds=_READY_SECONDS)
        if not ready():
            raise RuntimeError(f"it judged nothing: {' '.join(self.said.read_text(errors='replace').split())[-160:]}")
        began, first = time.perf_counter(), judged()
        self._until(lambda: False, seconds=seconds)
        taken, count = time.perf_counter() - began, judged() - first
        if not count:
            raise RuntimeError(f"it judged nothing: {' '.join(self.said.read_text(errors='replace').split())[-160:]}")
        return Found(rate=count / taken, note=(
            f"it judged {count} in {taken:.0f} s, {began - before:.0f} s before its first mutant not counted; "
            f"its memory {self.peak / 1e6:.0f} MB (PSS)"))

    def _until(self, over: Callable[[], bool], *, seconds: float) -> None:
        until = time.perf_counter() + seconds
        while not over() and time.perf_counter() < until and any(one.poll() is None for one in self.processes):
            self.peak = max(self.peak, sum(memory_of(one.pid) for one in self.processes))
            time.sleep(_LOOK_SECONDS)


@contextlib.contextmanager
def _started(argvs: Sequence[Sequence[str]], folders: Sequence[Path], said: Path) -> Iterator[_Watch]:
    environment = {**plain_environment(), "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    with said.open("wb") as out:
        started = [subprocess.Popen(argv, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out)
                   for argv, folder in zip(argvs, folders, strict=True)]
        try:
            yield _Watch(started, said)
        finally:
            for one in started:
                end(one)


PEERS = (Peer(name=f"mutmut {MUTMUT}", times=12.0, measure=mutmut, everywhere=False),
         Peer(name=f"cosmic-ray {COSMIC_RAY}", times=100.0, measure=cosmic_ray, everywhere=True))
