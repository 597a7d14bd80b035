"""Whether the fates that a test command gives can be trusted: it passes twice as it is, and notices failures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from windtunnel.core.errors import UsageError
from windtunnel.core.mutation import Fate, Mutant, State
from windtunnel.core.result import Artifact, Reason
from windtunnel.core.trial import CheckReport, Status
from windtunnel.engine.foreign.bench import Bench
from windtunnel.engine.foreign.fates import fate_of, uncompiled
from windtunnel.mutation import grammars

_MOST_FORCED = 8
"""Functions that are made to fail one by one, where all at once do not compile."""
_MOST_WORDS = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Clean:
    """What two runs without a mutant show."""

    trusted: tuple[str, ...] = ()
    """Tests that passed both times."""
    failing: tuple[str, ...] = ()
    flaky: tuple[str, ...] = ()
    """Those that ended differently the second time, or were there only once."""
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    state: State | None = None
    """Why nothing can be judged, if so."""
    notes: tuple[str, ...] = ()

    @property
    def steady(self) -> bool:
        """Whether every test passes, so that the first failure says all."""
        return not self.failing and not self.flaky


def one_run(report: CheckReport) -> Clean | None:
    """Why nothing can be judged after this run; None where something can."""
    said = next((line for line in reversed(report.stderr.splitlines()) if line.strip()), "")[:_MOST_WORDS]
    refused = uncompiled(report)
    if refused is not None:
        return Clean(state=State.BROKEN, notes=(f"without a mutant: {refused.why}",))
    if report.reason is not Reason.EXITED:
        return Clean(state=State.BROKEN, notes=(f"without a mutant: stopped: {report.reason}",))
    if any(test.status.ran for test in report.tests):
        return None
    return Clean(state=State.NO_TESTS, notes=tuple(note for note in (*report.notes[:3], said) if note))


def both_runs(first: CheckReport, second: CheckReport) -> Clean:
    """What may be trusted after two runs that ended."""
    one, two = ({test.id: test.status for test in report.tests} for report in (first, second))
    names = list(dict.fromkeys((*one, *two)))
    trusted = tuple(name for name in names if one.get(name) is two.get(name) is Status.PASSED)
    failing = tuple(name for name in names if _bad(one.get(name)) and _bad(two.get(name)))
    flaky = tuple(name for name in names if name not in failing and one.get(name) is not two.get(name))
    return Clean(
        trusted=trusted, failing=failing, flaky=flaky, state=None if trusted else State.NO_TEST_PASSES,
        cpu_seconds=second.usage.cpu_seconds or second.execution_time, wall_seconds=second.execution_time)


def _bad(status: Status | None) -> bool:
    return status is not None and status.bad


@dataclass(frozen=True, slots=True, kw_only=True)
class Forced:
    """What became of functions that fail at once."""

    noticed: bool
    cpu_seconds: float = 0.0
    wall_seconds: float = 0.0
    """The most that a run with them took, what they had to be built for included."""
    note: str = ""


def forced(bench: Bench, files: Mapping[str, bytes], trusted: Sequence[str]) -> Forced:
    """Whether they are noticed: all functions of the product at once; where that does not compile, fewer of them."""
    cpu = wall = 0.0
    why = "no function was found that could be made to fail"
    for number, over in enumerate(_failures(files)):
        report = bench.judge(over, trusted=frozenset(trusted))
        found = fate_of(report, expected=trusted)
        cpu, wall = max(cpu, report.usage.cpu_seconds or report.execution_time), max(wall, report.execution_time)
        if found.fate is Fate.KILLED:
            return Forced(noticed=True, cpu_seconds=cpu, wall_seconds=wall)
        why = f"functions that fail at once: {found.why or found.fate}"
        if found.fate is Fate.SURVIVED and not number:
            break
    return Forced(noticed=False, note=why)


def _failures(files: Mapping[str, bytes]) -> Iterator[dict[str, Artifact | None]]:
    """All functions at once, then file by file, then one function of each file."""
    forced = {path: made for path, source in files.items() if (made := _forced(source, path))}
    if not forced:
        return
    yield {path: Artifact(data=_all(files[path], made)) for path, made in forced.items()}
    for path, made in list(forced.items())[:_MOST_FORCED]:
        if len(forced) > 1:
            yield {path: Artifact(data=_all(files[path], made))}
    for path, made in list(forced.items())[:_MOST_FORCED]:
        yield {path: Artifact(data=with_mutant(files[path], made[0]))}


def _forced(source: bytes, path: str) -> list[Mutant]:
    try:
        return grammars.forced(source, path=path)
    except UsageError:
        return []


def _all(source: bytes, made: Sequence[Mutant]) -> bytes:
    """A file with as many of them as do not lie in each other."""
    told, before = source, len(source) + 1
    for mutant in sorted(made, key=lambda one: (one.start, one.end), reverse=True):
        if mutant.end <= before:
            told, before = with_mutant(told, mutant), mutant.start
    return told


def with_mutant(source: bytes, mutant: Mutant) -> bytes:
    """The file with that one mutant."""
    return source[:mutant.start] + mutant.replacement.encode("utf-8", "surrogateescape") + source[mutant.end:]
