"""What is written down of each kind of act: contents by their hashes, outputs by their heads, all of it bounded."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from windtunnel.core.change import ChangeSet
from windtunnel.core.plain import plain
from windtunnel.core.result import ExecutionResult, Reason
from windtunnel.engine.run import Snippet

if TYPE_CHECKING:
    from windtunnel.core.gate import GateResult
    from windtunnel.core.trial import CheckReport, SandboxResult
    from windtunnel.engine.tournament import Candidate, Ranked
    from windtunnel.engine.trial import Trial

_HEAD = 4096
"""Characters kept of each output."""
_MOST = 200
"""Names kept of each list; how many more there were is said."""
_OPTIONS = ("build", "lint", "test", "network_enabled", "build_hosts", "only_affected", "pattern", "fail_fast", "rerun",
            "lint_counts", "expected_tests", "strict_tamper", "gate", "jobs")


def told(inputs: Callable[[], Mapping[str, object]]) -> Mapping[str, object]:
    """What was asked for; of a request so wrong that it cannot be told, that it was."""
    try:
        return inputs()
    except (TypeError, ValueError, AttributeError) as error:
        return {"malformed": f"{type(error).__name__}: {error}"[:1000]}


def of_snippet(snippet: Snippet) -> dict[str, object]:
    """A program that is to run."""
    return {
        "code": digest(snippet.code), "language": str(snippet.language)[:100],
        "arguments": [str(one)[:200] for one in list(snippet.args)[:_MOST]],
        "files": {str(name)[:500]: digest(data) for name, data in list(dict(snippet.files).items())[:_MOST]},
        "variables": some(sorted(map(str, snippet.env_vars))), "stdin": digest(snippet.stdin),
        "network": bool(snippet.network_enabled), "hosts": some(list(snippet.allow_hosts or ())),
        "workspace": str(snippet.workspace or ""), "stages": some(list(snippet.stages)),
        "limits": as_json(snippet.limits)}


def outcome(result: ExecutionResult) -> str:
    """How a run ended, in one word."""
    if result.reason is not Reason.EXITED:
        return str(result.reason)
    return "done" if result.success else "failed"


def of_result(result: ExecutionResult) -> dict[str, object]:
    """How a program ended."""
    return {
        "result": {"exit_code": result.exit_code, "reason": str(result.reason), "seconds": result.execution_time,
                   "level": str(result.level), "warm": result.warm},
        "output": {name: {"head": text[:_HEAD], "bytes": len(data) + dropped, "sha256": digest(data)}
                   for name, text, data, dropped in (
                       ("stdout", result.stdout, result.stdout_bytes, result.stdout_dropped),
                       ("stderr", result.stderr, result.stderr_bytes, result.stderr_dropped))},
        "controls": dict(result.enforced), "limits": as_json(result.limits), "usage": as_json(result.usage),
        "effects": as_json(result.effects)}


def of_trial(trial: Trial, changes: ChangeSet) -> dict[str, object]:
    """A change that is to be tried; secrets by their names alone, also where a command holds one."""
    from windtunnel.engine.secrets import Mask  # noqa: PLC0415 -- who only runs programs does not load it
    from windtunnel.engine.wishes import secrets_of  # noqa: PLC0415

    return Mask(secrets_of(trial))({
        "change": changes.digest(), "files": of_changes(changes),
        "options": {name: as_json(getattr(trial, name)) for name in _OPTIONS}, "variables": some(sorted(trial.env)),
        "secrets": {step: sorted(values) for step, values in trial.secrets.items()}, "limits": as_json(trial.limits)})


def of_changes(changes: ChangeSet) -> list[dict[str, object]]:
    """Every file of a change, by what it becomes."""
    return [{"path": one.relative_path, "operation": one.operation, "mode": one.mode,
             "after": None if one.operation == "delete" else digest(one.data)} for one in list(changes)[:_MOST]]


def of_verdict(result: SandboxResult) -> dict[str, object]:
    """What a trial found."""
    delta = result.delta
    return {
        "verdict": str(result.verdict), "reasons": some(result.reasons), "tree": result.tree,
        "delta": {name: some(getattr(delta, name)) for name in (
            "fixed", "broken", "still_failing", "new", "new_failing", "vanished", "silenced", "flaky")},
        "still_passing": delta.still_passing, "tamper": as_json(result.tamper[:_MOST]),
        "findings": as_json(result.new_findings[:_MOST]), "effects": as_json(result.effects),
        "controls": dict(result.enforced), "level": str(result.level), "limits": as_json(result.limits),
        "usage": as_json(result.usage), "before": dict(result.seen),
        "commands": [_command(report) for report in (*result.reports, *result.proposed_reports)][:_MOST],
        "notes": some(result.notes), **({} if result.gate is None else {"gate": of_gate(result.gate)})}


def of_gate(result: GateResult) -> dict[str, object]:
    """What the gate found."""
    return {
        "verdict": str(result.verdict), "state": str(result.state), "reasons": some(result.reasons),
        "score": result.score, "hollow": result.hollow, "tests": result.tests, "doubt": _doubt(result),
        "counts": {str(fate): count for fate, count in result.counts.items()},
        "survivors": some([f"{one.path}:{one.line} {one.description}" for one in result.survivors]),
        "reverts": some([f"{each.part} {each.path}:{each.line} {each.fate} {each.by}".strip()
                         for each in result.reverts]),
        "set_aside": some(result.set_aside), "seconds": result.execution_time, "notes": some(result.notes)}


def _doubt(result: GateResult) -> object:
    """Without values of the program."""
    doubt = result.doubt
    return None if doubt is None else {"state": doubt.state, "reason": doubt.reason, "share": doubt.share}


def of_candidates(trial: Trial, entered: Sequence[Candidate]) -> dict[str, object]:
    """Changes that compete."""
    return {**of_trial(trial, ChangeSet(changes=())), "change": "", "candidates": {
        one.name[:500]: one.changes.digest() for one in entered[:_MOST]}}


def of_places(ranked: Sequence[Ranked]) -> list[dict[str, object]]:
    """How a competition ended."""
    return [{"place": one.place, "name": one.name, "same_as": one.same_as, "error": one.error,
             "trial": one.result.id if one.result is not None else None,
             "verdict": str(one.result.verdict) if one.result is not None else None} for one in ranked[:_MOST]]


def of_apply(result: SandboxResult) -> dict[str, object]:
    """A change that is to be written into its project."""
    return {"change": result.changes.digest(), "files": of_changes(result.changes), "trial": result.id,
            "tree": result.tree, "seen": dict(result.seen)}


def of_written(result: SandboxResult) -> dict[str, object]:
    """What an apply writes, whichever trial found it good: an approval outlives the process that asked for it."""
    return {"change": result.changes.digest(), "tree": result.tree, "seen": dict(result.seen)}


def digest(data: str | bytes) -> str:
    """SHA-256 of it; of what is no data, that of its name."""
    if isinstance(data, str):
        data = data.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data if isinstance(data, bytes) else repr(type(data)).encode()).hexdigest()


def some(values: Sequence[object]) -> list[object]:
    """As many as fit, as text; the last says how many more there were."""
    told: list[object] = [str(value)[:1000] for value in values[:_MOST]]
    return told if len(values) <= _MOST else [*told, f"and {len(values) - _MOST} more"]


def as_json(value: object) -> object:
    """A core value as plain JSON."""
    simple = value is None or isinstance(value, str | int | float)
    return value if simple else json.loads(json.dumps(value, default=plain))


def _command(report: CheckReport) -> Mapping[str, object]:
    return {
        "kind": str(report.check.kind), "tool": report.check.tool, "command": some(report.check.argv),
        "exit_code": report.exit_code, "reason": str(report.reason), "seconds": report.execution_time,
        "tests": len(report.tests), "stdout": report.stdout[:_HEAD], "stderr": report.stderr[:_HEAD]}
