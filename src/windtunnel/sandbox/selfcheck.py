"""Attacks a sandbox on this machine, and reports row by row what held.

What a good report means: each act of the catalogue was tried inside, reached its end, and the host saw
it fail. What it does not mean: that no other act exists.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from typing import Protocol

from windtunnel.core.errors import UsageError, WindtunnelError
from windtunnel.core.language import Language, Toolchain
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Sandbox
from windtunnel.core.result import Command, ExecutionResult
from windtunnel.sandbox.attacks import ALL, Attack, Outcome, Verdict
from windtunnel.sandbox.attacks.base import not_run, render, unproven
from windtunnel.sandbox.attacks.honest import HONEST, Honest, judge
from windtunnel.sandbox.attacks.host import Host
from windtunnel.sandbox.attacks.judges import astray

SUITE: tuple[Attack | Honest, ...] = (*ALL, *HONEST)
"""Every row: the attacks, then the honest programs."""


class MakeJob(Protocol):
    """Turns Python source into a job of the sandbox under test."""

    def __call__(self, code: str, *, limits: Limits, files: Mapping[str, bytes], env: Mapping[str, str]) -> Job:
        """The job that runs the code as /sandbox/main.py."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One attack and what came of it."""

    row: str
    title: str
    severity: str
    outcome: Outcome
    evidence: str
    exception: str | None = None
    """Why the backend is known not to hold this row; shown, never hidden."""

    @property
    def acceptable(self) -> bool:
        """Held, not to be had on this machine, or a known exception."""
        return self.outcome in (Outcome.HELD, Outcome.NOT_RUN) or self.exception is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Every row, in the order of the catalogue."""

    rows: tuple[Row, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many rows had each outcome."""
        found = Counter(row.outcome for row in self.rows)
        return {str(outcome): found[outcome] for outcome in Outcome}

    @property
    def held(self) -> bool:
        """Something was shown to hold, and nothing was shown not to; an unproven row is not held."""
        return any(row.outcome is Outcome.HELD for row in self.rows) and all(row.acceptable for row in self.rows)

    def table(self) -> str:
        """Plain text, a line a row, with the counts below."""
        lines = [f"{row.row:4} {row.severity:5} {row.outcome:9} {row.title}\n     {_note(row)}" for row in self.rows]
        counts = ", ".join(f"{count} {name}" for name, count in self.counts.items() if count)
        return "\n".join([*lines, "", counts or "no attack was run"]) + "\n"

    def as_dict(self) -> dict[str, object]:
        """The same for machines."""
        return {"held": self.held, "counts": self.counts, "rows": [asdict(row) for row in self.rows]}


def _note(row: Row) -> str:
    return f"{row.evidence} [known exception: {row.exception}]" if row.exception else row.evidence


def python_jobs(language: Language, toolchain: Toolchain, *, warm: bool = False) -> MakeJob:
    """A maker of jobs for a Python toolchain: no network, a read-only /sandbox.

    A warm job may be taken over by an interpreter that was loaded and waiting; both ways in must hold.
    """
    argv = tuple(word.replace("{source}", "/sandbox/main.py") for word in toolchain.run)

    def make_job(code: str, *, limits: Limits, files: Mapping[str, bytes], env: Mapping[str, str]) -> Job:
        files = {**files, "main.py": code.encode()}
        command = Command(argv=argv, files=files, env=env, script="/sandbox/main.py" if warm else None)
        return Job(command=command, limits=limits, language=language, toolchain=toolchain, warm=warm)

    return make_job


def run_selfcheck(
    sandbox: Sandbox,
    make_job: MakeJob,
    *,
    cases: Iterable[Attack | Honest] = SUITE,
    exceptions: Mapping[str, str] | None = None,
    progress: Callable[[Row], None] | None = None,
) -> Report:
    """Run the cases one after another; ``progress`` gets each row as it is known."""
    known = dict(exceptions or {})
    check_rows(known)
    rows = []
    for case in cases:
        verdict = run_case(case, sandbox=sandbox, make_job=make_job)
        rows.append(_row(case, verdict, exception=known.get(case.row)))
        if progress is not None:
            progress(rows[-1])
    return Report(rows=tuple(rows))


def check_rows(exceptions: Mapping[str, str]) -> None:
    """Refuse an exception for a row that does not exist; it would hide nothing today and something tomorrow."""
    if unknown := sorted(set(exceptions) - {case.row for case in SUITE}):
        raise UsageError(f"exceptions: no such row: {', '.join(unknown)} (rows look like S04)", field="exceptions")


def _row(case: Attack | Honest, verdict: Verdict, *, exception: str | None) -> Row:
    return Row(
        row=case.row,
        title=case.title if isinstance(case, Attack) else f"an honest program works: {case.name}",
        severity=case.severity if isinstance(case, Attack) else "Fit",
        outcome=verdict.outcome,
        evidence=verdict.evidence,
        exception=exception,
    )


def run_case(case: Attack | Honest, *, sandbox: Sandbox, make_job: MakeJob) -> Verdict:
    """One attack or one honest program."""
    if isinstance(case, Attack):
        return run_attack(case, sandbox=sandbox, make_job=make_job)
    return run_honest(case, sandbox=sandbox, make_job=make_job)


def run_attack(attack: Attack, *, sandbox: Sandbox, make_job: MakeJob) -> Verdict:
    """One attack from preparation to verdict; our own failure is unproven, never held.

    A backend that runs programs slower than the machine says how much more time they need by its ``patience``; rows
    that it knows to have too little time keep what they have, since they are about ending in it.
    """
    if reason := attack.needs():
        return not_run(reason)
    known: dict[str, str] = getattr(sandbox, "known_exceptions", dict)()
    patience = 1.0 if attack.row in known else float(getattr(sandbox, "patience", 1.0))
    attack = replace(attack, limits=replace(attack.limits, wall_seconds=attack.limits.wall_seconds * patience))
    try:
        with Host(attack.limits) as host:
            return _attacked(attack, host, sandbox.run, make_job)
    except (WindtunnelError, OSError) as error:
        return unproven(f"{type(error).__name__}: {error}"[:200])


def run_honest(program: Honest, *, sandbox: Sandbox, make_job: MakeJob) -> Verdict:
    """One honest program, judged by its whole answer."""
    try:
        return judge(program, sandbox.run(make_job(program.code, limits=Limits(), files={}, env={})))
    except (WindtunnelError, OSError) as error:
        return unproven(f"{type(error).__name__}: {error}"[:200])


def _attacked(attack: Attack, host: Host, run: Callable[[Job], ExecutionResult], make_job: MakeJob) -> Verdict:
    values = {"token": host.token, **attack.prepare(host)}

    def play(code: str) -> ExecutionResult:
        job = make_job(render(code, values), limits=attack.limits, files={}, env={})
        return run(replace(job, command=replace(job.command, build=attack.build)))

    def run_beside() -> None:
        host.beside = play(attack.beside or "")

    host.run_beside = run_beside
    started = time.monotonic()
    with _watched(attack, host):
        result = play(attack.code)
    host.elapsed = time.monotonic() - started
    if attack.again is not None:
        if verdict := astray(host, result):
            return verdict
        result = play(attack.again)
    return attack.judge(host, result)


@contextmanager
def _watched(attack: Attack, host: Host) -> Iterator[None]:
    """Let the attack's watcher see the run, and wait for it to finish looking."""
    stop = threading.Event()
    threads = [threading.Thread(target=attack.watch, args=(host, stop), daemon=True)] if attack.watch else []
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
