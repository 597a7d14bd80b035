"""How soon a fault is seen, and whether affected tests alone tell the same: in real packages with their own tests.

A fault is one operator or number of one line, in a function that at least one test runs; which one is drawn with a
fixed seed. Counted are those that make at least one test fail that passed before. Faults outside functions are not
drawn, and neither are those that only make the tests hang.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from benchmarks.ground import Ground
from benchmarks.rows import Row, Target
from benchmarks.timing import NotRun
from benchmarks.trial_corpus import GROUP
from benchmarks.trial_mutations import Mutation, mutations
from benchmarks.trial_projects import QUICK, make_project, size_of
from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.result import Reason
from windtunnel.core.trial import ExecutionTestResult, Kind, SandboxResult
from windtunnel.engine.budget import Budget
from windtunnel.engine.course import Event, Order
from windtunnel.engine.delta import tests_of
from windtunnel.engine.premises import overlay_of
from windtunnel.engine.trial import Prepared, Trial, judge_change, prepare
from windtunnel.tunnel import Tunnel

_SEED = 3
_DRAWN_MOST = 4
"""Faults drawn for each that is wanted."""
_PATIENCE = 2.0
"""Times as long as the unchanged side took, which was traced and so slower than any later run; then it hangs."""
_LEAST_PATIENCE_SECONDS = 10.0
_BAD = ("failed", "error")
_DOWNLOAD_SECONDS = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """Something with tests of its own."""

    name: str
    product: str
    """The folder of its product."""
    make: Callable[[Ground], Path]
    """Where it was put; ``NotRun`` when it cannot be had."""


def from_registry(name: str, version: str, *, product: str) -> Package:
    return Package(name=f"{name} {version}", product=product, make=lambda ground: unpacked(ground, name, version))


PACKAGES = (
    from_registry("boltons", "26.2.0", product="boltons"),
    from_registry("tomlkit", "0.15.2", product="tomlkit"),
    from_registry("mistune", "3.4.0", product="src/mistune"),
)
STAND_IN = Package(
    name="made up", product="product", make=lambda ground: make_project(ground.folder / "stand-in", QUICK))
"""Where only a little is measured: no download."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What came of one fault; times in seconds from the order of the trial."""

    mutation: Mutation
    first: float | None
    """Until a test that passed before was told to fail; None where none did."""
    whole: float
    """Until the result of the trial, with all tests, none run again."""
    plain: float | None = None
    """Until the same was told with the tests in their own order."""
    verdicts: tuple[bool, bool] = (True, True)
    """Whether it is good: by all tests, by the affected ones alone."""
    affected_seconds: float = 0.0


def rows(ground: Ground, packages: Sequence[Package] | None = None) -> Iterator[Row]:
    """One row for each package, then all of them together."""
    size = size_of(ground)
    every: list[Seen] = []
    with ground.tunnel() as tunnel:
        for package in packages or (PACKAGES if size.real_packages else (STAND_IN,)):
            try:
                found = list(_faults(tunnel, package.make(ground), package, wanted=size.faults))
            except NotRun as missing:
                yield Row(group=GROUP, name=f"first failing test, {package.name}", missing=str(missing))
                continue
            every += found
            yield _first_row(found, f"first failing test, {package.name}")
    if not every:
        yield Row(group=GROUP, name="first failing test, all packages", missing="none of the packages is here")
        return
    yield replace(_first_row(every, "first failing test, all packages"), target=Target(limit=30.0))
    yield _agreement(every)


def _first_row(found: Sequence[Seen], name: str) -> Row:
    shares = [(one.first / one.whole, (one.plain or one.whole) / one.whole) for one in found if one.first is not None]
    if not shares:
        return Row(group=GROUP, name=name, missing="no fault that was drawn makes a test fail", failed=True)
    whole = statistics.median(one.whole for one in found)
    return Row(group=GROUP, name=name, value=100 * statistics.median(first for first, _ in shares), unit="%",
               p99=100 * max(first for first, _ in shares), beside="tests in their own order", of="value",
               other=100 * statistics.median(plain for _, plain in shares),
               note=f"of the time of the whole trial ({whole:.1f} s); {len(shares)} faults that a test sees, "
                    f"{len(found) - len(shares)} that none sees")


def _agreement(found: Sequence[Seen]) -> Row:
    differ = [str(one.mutation) for one in found if one.verdicts[0] is not one.verdicts[1]]
    share = statistics.median(one.affected_seconds / one.whole for one in found)
    return Row(group=GROUP, name="affected tests alone: the same verdict as all", value=len(found) - len(differ),
               unit="faults", of="value", target=Target(limit=len(found), least=True),
               note=f"of {len(found)}, in {100 * share:.0f} % of the time{'; not: ' if differ else ''}"
                    f"{'; '.join(differ[:3])}")


def unpacked(ground: Ground, name: str, version: str) -> Path:
    """The source archive of a package, from the registry that pip is set up for; thrown away with the ground."""
    folder = ground.folder / f"package-{name}"
    folder.mkdir()
    command = [sys.executable, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps", "--no-binary",
               name, "--dest", str(folder), f"{name}=={version}"]
    try:
        subprocess.run(command, check=True, capture_output=True, timeout=_DOWNLOAD_SECONDS, cwd=folder)
        archive = next(folder.glob("*.tar.gz"))
        with tarfile.open(archive) as opened:
            opened.extractall(folder, filter="data")
    except (subprocess.SubprocessError, OSError, tarfile.TarError, StopIteration) as error:
        why = type(error).__name__
        raise NotRun(f"the source of {name} {version} cannot be had from the registry ({why})") from error
    return next(path for path in folder.iterdir() if path.is_dir())


def _faults(tunnel: Tunnel, project: Path, package: Package, *, wanted: int) -> Iterator[Seen]:
    """Try faults until enough of them were seen by a test."""
    trial = Trial(project=project, changes=(), test="pytest", build="", lint="", rerun=False)
    ready = prepare(tunnel.rig, trial)
    if not any(report.touched for report in ready.before) or not all(report.success for report in ready.before):
        raise NotRun(f"the tests of {package.name} do not pass here")
    touched = {place for report in ready.before for code in report.touched.values() for place in code}
    drawn = mutations(project, package.product, reached=touched, seed=f"{_SEED} {package.name}")
    seen = 0
    for mutation in islice(drawn, _DRAWN_MOST * wanted):
        one = _try(tunnel, trial, mutation)
        if one is not None:
            seen += one.first is not None
            yield one
        if seen == wanted:
            return


def _try(tunnel: Tunnel, trial: Trial, mutation: Mutation) -> Seen | None:
    """All tests with the affected ones first; the affected ones alone; all in their own order, to the first failure."""
    changes = ChangeSet(changes=(FileChange(mutation.path, "modify", mutation.data),))
    full, first, whole = _timed(tunnel, replace(trial, changes=changes))
    if any(report.reason is not Reason.EXITED for report in full.reports):
        return None
    alone, _, affected_seconds = _timed(tunnel, replace(trial, changes=changes, only_affected=True))
    return Seen(mutation=mutation, first=first, whole=whole, verdicts=(full.success, alone.success),
                plain=None if first is None else _plain(tunnel, trial, changes), affected_seconds=affected_seconds)


class _Watch:
    """Keeps the time at which a test was first told to fail that did not fail before."""

    def __init__(self) -> None:
        self.began = time.perf_counter()
        self.bad: list[tuple[str, float]] = []

    def __call__(self, event: Event) -> None:
        if event.kind == "test" and event.status in _BAD:
            self.bad.append((event.text, time.perf_counter() - self.began))

    def first(self, known: Mapping[str, ExecutionTestResult]) -> float | None:
        new = [seconds for name, seconds in self.bad if name not in known or not known[name].status.bad]
        return min(new, default=None)


def _timed(tunnel: Tunnel, trial: Trial) -> tuple[SandboxResult, float | None, float]:
    watch = _Watch()
    ready = _ready(tunnel, replace(trial, tell=watch))
    result = judge_change(ready, trial)
    whole = time.perf_counter() - watch.began
    return result, watch.first(tests_of(ready.before)), whole


def _plain(tunnel: Tunnel, trial: Trial, changes: ChangeSet) -> float | None:
    """As a trial that knows nothing of affected tests would do it."""
    watch = _Watch()
    ready = _ready(tunnel, replace(trial, tell=watch))
    ready.course.budget.renew()
    known = tests_of(ready.before)
    ready.course.run(overlay_of(changes), kinds=(Kind.TEST,), order=Order(known=known, fail_fast=True))
    return watch.first(known)


def _ready(tunnel: Tunnel, trial: Trial) -> Prepared:
    ready = prepare(tunnel.rig, trial)
    if not ready.cached:
        raise RuntimeError("the results of the unchanged package were not kept")
    patience = max(_LEAST_PATIENCE_SECONDS, _PATIENCE * sum(report.execution_time for report in ready.before))
    budget = ready.course.budget
    ready.course.budget = Budget(replace(budget.limits, wall_seconds=patience), lanes=budget.lanes)
    return ready
