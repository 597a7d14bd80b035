"""Whether fates are right: a sample found again by plain pytest, and a sample found again on a machine under load.

The other way shares nothing with ours but the list of mutants: each is written into a copy of the project by this file,
and all tests are run by a new ``python -m pytest -x`` there, beginning with the one that we say noticed it, which saves
time and changes nothing for one that survives. What ends with 0 survived, anything else was noticed; what needs
more processor time than ten clean runs is a timeout, and told apart from both.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from benchmarks.ground import Ground
from benchmarks.mutation_packages import GROUP, Project, size_of
from benchmarks.mutation_runs import Run, mutate, plain_pytest, quiet_environment
from benchmarks.rows import Row, Target

_SEED = 6
_CLEAN_RUNS = 10
_MORE_SECONDS = 5.0
_SAID = ("killed", "survived", "untested")
"""Fates that say something; of a timeout nobody knows whether a test would have noticed."""
_NO_SUCH_TEST = 4
"""What pytest ends with where a test that was named is not there, as when its file cannot be loaded."""
_NO_TURN = "not judged"
_NAMED = 3
_BUSY = """\
import os
parent = os.getppid()
while os.getppid() == parent:
    for _ in range(1_000_000):
        pass
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One mutant, judged both ways."""

    mutant: Mapping[str, Any]
    ours: str
    theirs: str

    def __str__(self) -> str:
        return (f"{self.mutant['path']}:{self.mutant['line']} {self.mutant['description']} "
                f"({self.ours}, fresh {self.theirs})")


def right(ground: Ground, project: Project, run: Run) -> Iterator[Row]:
    """False kills and false survivors of one package, each beside how many there could have been."""
    began = time.perf_counter()
    found = compared(project, run, count=size_of(ground).sampled)
    kills = [one for one in found if one.ours == "killed" and one.theirs != "timeout"]
    others = [one for one in found if one.ours != "killed" and one.theirs != "timeout"]
    late = sum(one.theirs == "timeout" for one in found)
    fates = Counter(run.fates.values())
    note = (f"of {len(found)} drawn with a fixed seed from those with a fate; each by all tests in a new process, "
            f"{time.perf_counter() - began:.0f} s in all")
    apart = f"; {late} timed out there; {fates['timeout']} of {len(run.fates)} did here, and are not drawn"
    yield _wrong("false kills", project, kills, kills, theirs="survived", note=note + apart)
    yield _wrong("false survivors", project, others, found, theirs="killed", note=note)


def _wrong(name: str, project: Project, those: Sequence[Compared], of: Sequence[Compared], *, theirs: str,
           note: str) -> Row:
    wrong = [one for one in those if one.theirs == theirs]
    named = f"; {'; '.join(map(str, wrong[:_NAMED]))}" if wrong else ""
    return Row(group=GROUP, name=f"{name}, {project.package.name}", value=100 * len(wrong) / max(1, len(of)), unit="%",
               of="value", target=Target(limit=0.0 if theirs == "survived" else 0.5),
               note=f"{len(wrong)} of {len(of)}{named}; {note}")


def compared(project: Project, run: Run, *, count: int) -> list[Compared]:
    """A sample of the run's mutants; two at a time, each in a copy of the project of its own."""
    said = [one for one in run.result["judged"] if one["fate"] in _SAID]
    drawn = random.Random(_SEED).sample(said, min(count, len(said)))
    places = [Place(project, number) for number in range(os.cpu_count() or 1)]
    seconds = _CLEAN_RUNS * places[0].clean() + _MORE_SECONDS
    free, lock = list(places), threading.Lock()

    def judge(one: Mapping[str, Any]) -> Compared:
        with lock:
            place = free.pop()
        try:
            theirs = place.fate(one["mutant"], seconds=seconds, first=one.get("by", ""))
        finally:
            free.append(place)
        return Compared(mutant=one["mutant"], ours=one["fate"], theirs=theirs)

    with ThreadPoolExecutor(len(places)) as threads:
        return list(threads.map(judge, drawn))


class Place:
    """A copy of a project, for one mutant at a time."""

    def __init__(self, project: Project, number: int) -> None:
        self.python, self.folder = project.python, project.copy(f"fresh-{number}")
        self.tests = project.package.tests
        self.environment = quiet_environment(self.folder.parent)

    def clean(self) -> float:
        """Processor seconds of all tests without a mutant, which must pass."""
        before = os.times()
        code = self._run(seconds=600.0)
        after = os.times()
        if code:
            raise RuntimeError(f"the tests of {self.folder.name} do not pass in a plain process ({code})")
        return after.children_user + after.children_system - before.children_user - before.children_system

    def fate(self, mutant: Mapping[str, Any], *, seconds: float, first: str = "") -> str:
        """What all tests say of it; ``first`` is the one that they begin with, before all in their usual order."""
        file = self.folder / mutant["path"]
        source = file.read_bytes()
        start, end = mutant["start"], mutant["end"]
        if source[start:end].decode() != mutant["original"]:
            raise RuntimeError(f"{mutant['path']}: the mutant is of another file")
        file.write_bytes(source[:start] + mutant["replacement"].encode() + source[end:])
        try:
            code = self._run(first, self.tests, seconds=seconds) if first else _NO_SUCH_TEST
            code = self._run(seconds=seconds) if code == _NO_SUCH_TEST else code
        finally:
            file.write_bytes(source)
        if code in (-signal.SIGXCPU, -signal.SIGKILL):
            return "timeout"
        return "killed" if code else "survived"

    def _run(self, *paths: str, seconds: float) -> int:
        """Bounded in time of the processor and, for what only waits, of the clock."""
        process = subprocess.Popen(
            plain_pytest(self.python, *paths, seconds=seconds), cwd=self.folder, env=self.environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            return process.wait(60 + 4 * seconds)
        except subprocess.TimeoutExpired:
            return -signal.SIGXCPU
        finally:
            _end_group(process)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def under_load(ground: Ground, project: Project, run: Run) -> Row:
    """A part of the same mutants beside processes that only compute; how many fates differ."""
    busy, count = size_of(ground).busy, size_of(ground).sampled
    with load(busy):
        again = mutate(ground, project, "--no-keep", "--sample", str(count))
    known, name = again.fates, f"fates that differ under load, {project.package.name}"
    both = [(one, one["fate"], known.get(one["mutant"]["id"], _NO_TURN)) for one in run.result["judged"]]
    asked = [one for one, *fates in both if _NO_TURN not in fates]
    different = [one for one in asked if known[one["mutant"]["id"]] != one["fate"]]
    said = "; ".join(f"{one['mutant']['path']}:{one['mutant']['line']} {one['mutant']['description']} "
                     f"({one['fate']}, then {known[one['mutant']['id']]})" for one in different[:_NAMED])
    return Row(group=GROUP, name=name, value=len(different), unit="mutants", of="value", target=Target(limit=0),
               note=f"of {len(asked)} drawn at random, timeouts too, with {busy} busy processes on {os.cpu_count()} "
                    f"cores beside it, in {again.ran.seconds:.1f} s{'; ' if said else ''}{said}")


@contextmanager
def load(count: int) -> Iterator[None]:
    """So many processes that only compute; they end with this one, however it ends."""
    started = [subprocess.Popen([sys.executable, "-S", "-c", _BUSY]) for _ in range(count)]
    try:
        yield
    finally:
        for process in started:
            process.kill()
        for process in started:
            process.wait()
