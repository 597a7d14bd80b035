"""Run one check of a project inside a sandbox and read what it says."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from windtunnel.checks import prepare, tool_named
from windtunnel.checks.records import Records
from windtunnel.core.language import Language, Toolchain, usual_env
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Network, Rig
from windtunnel.core.result import Command, ExecutionResult, Reason
from windtunnel.core.tool import OWN, PLACE, REPORT, Ask, Invocation, Output, Reading
from windtunnel.core.trial import Channel, Check, CheckReport, ExecutionTestResult, Kind, Status
from windtunnel.engine.ground import Ground
from windtunnel.engine.products import Overlay, left_behind

_RECORD = re.compile(rb"\x1e[^\n]*\n?")
_SHOWN = 64 * 1024
_PROJECT = Language(name="project", suffixes=(".project",), source="main", find=lambda _: None, install="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One check with everything that surrounds it."""

    check: Check
    overlay: Overlay = field(default_factory=dict)
    limits: Limits
    ask: Ask = field(default_factory=Ask)
    env: Mapping[str, str] = field(default_factory=dict)
    """Variables that this step alone gets, secrets among them."""
    network: Network = field(default_factory=Network)
    before: tuple[str, ...] = ()
    """Words of ours that the command is given to, such as a program that starts it while something goes wrong."""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """What that program needs, placed below ``OWN``."""
    on_test: Callable[[Mapping[str, Any]], bool] | None = None
    """Hears of each test as it ends; a true answer ends the run there."""


def run_step(rig: Rig, ground: Ground, step: Step) -> tuple[CheckReport, ExecutionResult]:
    """Run it to its end; whatever the command does is in the report."""
    ask = replace(step.ask, key=secrets.token_hex(16))
    invocation = prepare(step.check, ask)
    output, result = run_invocation(rig, ground, step, invocation, key=ask.key)
    reading = tool_named(step.check.tool).read(output, step.check)
    return _report(step, reading, result, output=output, live=invocation.live), result


def run_invocation(
    rig: Rig, ground: Ground, step: Step, invocation: Invocation, *, key: str,
) -> tuple[Output, ExecutionResult]:
    """Run what was made ready; its records are believed when they are sealed with the key."""
    records = Records(key, on_record=lambda record: _hear(step, record))
    command = Command(
        argv=(*step.before, *ground.resolve(invocation.argv, step.check)), stdin=invocation.stdin,
        files={**invocation.files, **step.files},
        env={**usual_env(Toolchain(run=()), cores=step.limits.cores), **ground.env, **invocation.env, **step.env},
        cwd=PLACE, collect=f"{REPORT.removeprefix('/tmp/')}/", workspace=ground.project,  # noqa: S108
        overlay=step.overlay, keep_layer=step.check.kind is Kind.BUILD)
    job = Job(
        command=command, limits=step.limits, language=_PROJECT, network=step.network, warm=False,
        toolchain=Toolchain(run=command.argv, paths=ground.paths),
        on_stdout=(lambda data: _feed(records, data)) if invocation.live else None)
    try:
        result = rig.sandbox.run(job)
    except _Decided:
        result = ExecutionResult(exit_code=1, reason=Reason.CANCELLED, level=rig.sandbox.level)
    records.finish()
    return Output(
        exit_code=result.exit_code, stdout=_RECORD.sub(b"", result.stdout_bytes), stderr=result.stderr_bytes,
        files={name: file.data for name, file in result.artifacts.items()},
        records=tuple(records.records), forged=records.forged), result


class _Decided(Exception):
    """Raised through the sandbox, which ends its run: nothing that comes could change the outcome."""


def _feed(records: Records, data: bytes) -> None:
    records.feed(data)


def _hear(step: Step, record: Mapping[str, Any]) -> None:
    if step.on_test is not None and step.on_test(record):
        raise _Decided


def _report(
    step: Step, reading: Reading, result: ExecutionResult, *, output: Output, live: bool,
) -> CheckReport:
    tests = reading.tests
    if result.reason is Reason.CANCELLED:
        tests = tuple(test for test in tests if test.category != "crash")
    if step.check.kind is Kind.TEST and reading.channel is Channel.EXIT_CODE and not tests and not live:
        tests = (_as_one_test(step.check, result),)
    if result.reason is not Reason.EXITED and reading.channel is Channel.EXIT_CODE:
        tests = tuple(replace(test, status=Status.ERROR, message=f"stopped: {result.reason}", category="crash")
                      for test in tests)  # the exit code of a run that was stopped says nothing
    interfered = [str(record.get("what")) for record in output.records if record.get("kind") == "integrity"]
    stopped = () if result.reason is Reason.EXITED else (f"stopped: {result.reason}",)
    return CheckReport(
        check=step.check, exit_code=result.exit_code, reason=result.reason, execution_time=result.execution_time,
        channel=reading.channel, tests=tests, findings=reading.findings, usage=result.usage, effects=result.effects,
        stdout=_text(output.stdout), stderr=_text(output.stderr), touched=reading.touched,
        notes=(*reading.notes, *stopped, *(left_behind(result) if step.check.kind is Kind.BUILD else ())),
        interfered=tuple(dict.fromkeys(interfered)), forged=output.forged, products=dict(result.layer))


def _as_one_test(check: Check, result: ExecutionResult) -> ExecutionTestResult:
    """A command that tells nothing of its tests counts as one."""
    status = Status.PASSED if result.success else Status.FAILED
    return ExecutionTestResult(
        id=" ".join(check.argv), status=status, duration_seconds=result.execution_time, tool=check.tool,
        message=result.error_message or "", category="" if result.success else "exit code")


def _text(data: bytes) -> str:
    """As much as a person reads."""
    text = data.decode("utf-8", "replace")
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN // 2]}\n[…]\n{text[-_SHOWN // 2:]}"


__all__ = ["OWN", "Overlay", "Step", "run_invocation", "run_step"]
