"""What all measurements stand on: a folder to throw away, the interpreter, tunnels with the settings of a new user."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.timing import Contender, timed
from windtunnel.config import Settings
from windtunnel.core.audit import Auditing
from windtunnel.core.language import Toolchain
from windtunnel.core.result import ExecutionResult
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.tunnel import Tunnel

PROGRAM = "print(1)"
PAUSE_SECONDS = 0.02
ROOT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True, kw_only=True)
class Scale:
    """How much is measured."""

    runs: int
    slow_runs: int
    """Of what takes tenths of a second each."""
    seconds: float
    """One stretch of a measurement of runs per second."""
    stretches: int
    burst: int
    """How many runs are started at once."""
    records: int
    """Appended to the audit log, each durably."""
    big_log: int
    """Records of a log that is verified."""
    tamperings: int


FULL = Scale(runs=200, slow_runs=20, seconds=1.5, stretches=3, burst=50,
             records=20_000, big_log=1_000_000, tamperings=1000)
SMALL = Scale(runs=2, slow_runs=1, seconds=0.1, stretches=1, burst=4, records=128, big_log=2000, tamperings=6)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """Handed to every measurement."""

    folder: Path
    scale: Scale
    install_peers: bool = False
    packages: tuple[str, ...] = ()
    """Of those whose mutants are judged, only these; all where it is empty."""
    repair_parts: tuple[str, ...] = ()
    """Of the group of fixes, only these; all where it is empty."""
    trial_parts: tuple[str, ...] = ()
    """Of the group of trials, the same."""
    simulate_parts: tuple[str, ...] = ()
    """Of the group of simulations, the same."""

    def settings(self) -> Settings:
        """A new user's: history on, two sandboxes waiting; only the folders are elsewhere."""
        return Settings(state_dir=self.folder / "state", cache_dir=self.folder / "cache")

    def tunnel(self, *, pool_size: int | None = None, audit: Auditing = Auditing.OFF) -> Tunnel:
        """Without the audit log, whose cost has rows of its own."""
        return Tunnel(replace(self.settings(), audit=audit), pool_size=pool_size)

    def environment(self) -> dict[str, str]:
        """For commands that read the settings themselves."""
        return {**plain_environment(), "WINDTUNNEL_STATE_DIR": str(self.folder / "state"),
                "WINDTUNNEL_CACHE_DIR": str(self.folder / "cache")}

    def command(
        self, argv: Sequence[str], *, answer: str = "1\n", environment: Mapping[str, str] | None = None,
    ) -> Contender:
        """Starts a program outside every sandbox, reads its output and checks it."""
        def act() -> None:
            said = self.output(argv, environment=environment)
            if said != answer:
                raise RuntimeError(f"{Path(argv[0]).name} printed {said[:80]!r} instead of {answer!r}")
        return lambda: timed(act)

    def output(self, argv: Sequence[str], *, environment: Mapping[str, str] | None = None) -> str:
        """What a program prints; an error when it fails.

        No time limit and one pipe: either more would make Python poll, and a bare start look slower than it is.
        """
        with (self.folder / f"stderr-{threading.get_ident()}").open("w+b") as said:
            done = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said, cwd=self.folder,
                                  env=environment or plain_environment(), check=False)
            if done.returncode:
                said.seek(0)
                last = said.read()[-160:].decode("utf-8", "replace")
                raise RuntimeError(f"{Path(argv[0]).name} gave {done.returncode}: {last}")
        return done.stdout.decode("utf-8", "replace")


def plain_environment() -> dict[str, str]:
    """The caller's, without what changes the interpreter, such as compiling everything anew each time."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PYTHON") or name == "PYTHONPATH"}


def python_toolchain() -> Toolchain:
    """The very interpreter that sandboxes run."""
    table = LanguageTable()
    return table.toolchain(table.get("python"))


def interpreter() -> str:
    return python_toolchain().run[0]


def checked(result: ExecutionResult, answer: str = "1\n") -> ExecutionResult:
    if not result.success or result.stdout != answer:
        raise RuntimeError(f"the sandbox gave {result.reason} {result.exit_code}: {result.stderr[-160:]!r}")
    return result


def sandboxed(run: Callable[[], ExecutionResult], results: list[ExecutionResult], answer: str = "1\n") -> Contender:
    """Times a run and keeps its result, for what it says of walls and of waiting sandboxes."""
    def act() -> None:
        results.append(run())

    def contend() -> float:
        seconds = timed(act)
        checked(results[-1], answer)
        return seconds
    return contend


def settle(*tunnels: Tunnel, pause_seconds: float = PAUSE_SECONDS) -> None:
    """Wait until each tunnel's waiting sandboxes are there again and old runs are cleared away, then a little more."""
    for tunnel in tunnels:
        sandbox = tunnel.rig.sandbox
        if isinstance(sandbox, Bubblewrap):
            sandbox.flush()
    time.sleep(pause_seconds)


def walls(results: Sequence[ExecutionResult]) -> str:
    """What the last result says was really enforced, in a few words."""
    if not results:
        return ""
    held = results[-1].enforced
    namespaces = sum(name.endswith(" namespace") for name in held) + (held.get("network") == "none")
    landlock = held.get("landlock")
    said = [f"{namespaces} namespaces", f"root {held.get('root')}", f"system calls {held.get('system calls')}",
            *([f"Landlock {landlock}"] if landlock else []), f"limits by {held.get('memory')}",
            "a host uid of its own" if os.geteuid() == 0 else "the caller's uid", f"/tmp by {held.get('disk')}"]
    return ", ".join(said)


def hits(results: Sequence[ExecutionResult]) -> str:
    return f"{sum(result.warm for result in results)} of {len(results)} found one waiting"
