"""Whole runs of a command in a process of their own: how long, how much memory, what became of the mutants."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.ground import Ground, interpreter, plain_environment
from benchmarks.memory import children, pss
from benchmarks.mutation_packages import Project
from benchmarks.timing import NotRun

MOST_SECONDS = 900.0
"""For one command; it is asked to be done sooner, and what had no turn by then is told as not judged."""
_ASKED_SECONDS = 780.0
_LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """How a command ended."""

    seconds: float
    """From its start to its end, that of the interpreter included."""
    peak_bytes: int | None
    """The most memory that all of its processes had together (PSS); None where the kernel does not say."""
    code: int
    said: str
    wrong: str
    """The last of what it said on standard error."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of ``windtunnel mutate``."""

    ran: Ran
    result: Mapping[str, Any]
    """As ``--json`` has it."""

    @property
    def fates(self) -> dict[str, str]:
        """By the id of the mutant."""
        return {one["mutant"]["id"]: one["fate"] for one in self.result["judged"]}

    @property
    def tried(self) -> int:
        """Mutants that tests were run against; those that no test reaches are none of them."""
        return sum(fate in ("killed", "survived", "timeout") for fate in self.fates.values())

    @property
    def rate(self) -> float:
        return self.tried / self.ran.seconds


def windtunnel() -> list[str]:
    """The command as a user has it."""
    script = Path(interpreter()).with_name("windtunnel")
    return [str(script)] if script.exists() else [interpreter(), "-m", "windtunnel"]


def mutate(ground: Ground, project: Project, *more: str, folder: Path | None = None, state: str = "") -> Run:
    """All mutants of the product, by a new process; ``state`` names the folder where fates are kept."""
    argv = [*windtunnel(), "mutate", "--project", str(folder or project.folder), "--json", "--test", project.command,
            "--seconds", str(_ASKED_SECONDS), *more, project.package.product]
    done = run(argv, environment=environment(ground, state), folder=ground.folder)
    try:
        return Run(ran=done, result=json.loads(done.said))
    except ValueError as error:
        raise RuntimeError(f"windtunnel mutate gave {done.code}: {done.wrong}") from error


def environment(ground: Ground, name: str = "") -> dict[str, str]:
    """As a new user's, with a state folder of its own for each name."""
    more = {"WINDTUNNEL_STATE_DIR": str(ground.folder / f"state-{name}")} if name else {}
    return {**ground.environment(), **more}


def run(argv: Sequence[str], *, environment: Mapping[str, str], folder: Path,
        until: Callable[[], bool] = lambda: False) -> Ran:
    """To its end, or until something else is true; then all that it started is ended with it."""
    out, wrong = folder / f"out-{time.monotonic_ns()}", folder / f"wrong-{time.monotonic_ns()}"
    began, peak = time.perf_counter(), 0
    with out.open("wb") as said, wrong.open("wb") as bad, _started(
            argv, stdout=said, stderr=bad, env=environment, cwd=folder) as process:
        while process.poll() is None and not until() and time.perf_counter() - began < MOST_SECONDS:
            peak = max(peak, memory_of(process.pid))
            with suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_SECONDS)
        seconds = time.perf_counter() - began
    ended = Ran(seconds=seconds, peak_bytes=peak or None, code=process.returncode, said=out.read_text(errors="replace"),
                wrong=" ".join(wrong.read_text(errors="replace").split())[-160:])
    out.unlink()
    wrong.unlink()
    return ended


@contextmanager
def _started(argv: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[bytes]]:  # noqa: ANN401 -- those of Popen
    process: subprocess.Popen[bytes] = subprocess.Popen(argv, stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        end(process)


def end(process: subprocess.Popen[bytes]) -> None:
    """With all that came of it, found before it goes."""
    below = descendants(process.pid) if process.poll() is None else []
    for pid in (process.pid, *below) if process.poll() is None else ():
        with suppress(ProcessLookupError):
            os.kill(pid, 9)
    process.wait()


def memory_of(pid: int) -> int:
    """Bytes of a process and all below it, what they share counted once (PSS); nothing where it may not be seen."""
    found = 0
    for one in (pid, *descendants(pid)):
        with suppress(OSError, StopIteration, NotRun):  # it ended meanwhile, or is not ours to look at
            found += pss(one)
    return found


def descendants(pid: int) -> list[int]:
    below, waiting, found = children(), [pid], list[int]()
    while waiting:
        more = below.get(waiting.pop(), [])
        found += more
        waiting += more
    return found


def plain_pytest(python: str, *paths: str, seconds: float, kilobytes: int = 4_000_000) -> list[str]:
    """All tests until one fails, by a fresh interpreter that writes nothing; bounded in processor time and memory."""
    argv = shlex.join([python, "-B", "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *paths])
    return ["sh", "-c", f"ulimit -t {max(1, int(seconds))}; ulimit -v {kilobytes}; exec {argv}"]


def quiet_environment(folder: Path) -> dict[str, str]:
    """With a folder of its own for temporary files."""
    made = folder / "temporary"
    made.mkdir(exist_ok=True)
    return {**plain_environment(), "TMPDIR": str(made), "PYTHONDONTWRITEBYTECODE": "1"}
