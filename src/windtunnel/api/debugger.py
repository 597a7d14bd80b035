"""Results explained as plain dictionaries, for debuggers and for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from windtunnel.core.problem import Place, Problem
from windtunnel.core.result import ExecutionResult, Reason
from windtunnel.engine.debug import DebugReport, report

MOST_OUTPUT = 16 * 1024
"""Characters of each stream in a report: the first half from its head, the second from its tail."""


class AutoDebuggerIntegration:
    """What went wrong in a run, as values that ``json.dumps`` takes."""

    @staticmethod
    def analyze_error(result: ExecutionResult) -> dict[str, Any]:
        """Explain the error; ``is_error`` is False and ``error_type`` None for a run that succeeded."""
        return _analysis(result, report(result))

    @staticmethod
    def create_debug_report(result: ExecutionResult) -> dict[str, Any]:
        """Everything to know about the run, with the analysis under ``error_analysis``."""
        explained = report(result)
        return {
            "execution_id": result.id,
            "timestamp": result.timestamp.isoformat(),
            "status": _status(result),
            "headline": explained.headline,
            "language": result.language,
            "exit_code": result.exit_code,
            "reason": str(result.reason),
            "execution_time": result.execution_time,
            "stdout": _bounded(result.stdout),
            "stderr": _bounded(result.stderr),
            "stdout_dropped": result.stdout_dropped,
            "stderr_dropped": result.stderr_dropped,
            "error_analysis": _analysis(result, explained),
            "level": None if result.level is None else str(result.level),
            "enforced": dict(result.enforced),
            "usage": asdict(result.usage),
            "effects": asdict(result.effects),
            "stages": [{**asdict(stage), "reason": str(stage.reason)} for stage in result.stages],
        }


def _status(result: ExecutionResult) -> str:
    """``success``, ``error`` for a program that failed by itself, or the limit that ended it."""
    if result.success:
        return "success"
    return "error" if result.reason is Reason.EXITED else str(result.reason)


def _bounded(text: str) -> str:
    if len(text) <= MOST_OUTPUT:
        return text
    half = MOST_OUTPUT // 2
    return f"{text[:half]}\n[{len(text) - MOST_OUTPUT} characters left out]\n{text[-half:]}"


def _analysis(result: ExecutionResult, explained: DebugReport) -> dict[str, Any]:
    ended = explained.problem
    return {
        "is_error": not result.success,
        "error_type": explained.error_type,
        "error_message": explained.message,
        "language": result.language,
        "exit_code": result.exit_code,
        "place": None if ended is None else _place(ended.place),
        "chain": _chain(ended),
        "problems": [_problem(error) for error in explained.problems],
        "likely_causes": list(explained.causes),
        "refused": [asdict(refusal) for refusal in explained.refused],
        "unwatched": list(explained.unwatched),
        "suggestions": _suggestions(explained),
    }


def _chain(ended: Problem | None) -> list[dict[str, Any]]:
    """From the root cause to what ended the program."""
    chain: list[dict[str, Any]] = []
    while ended is not None:
        chain.append(_problem(ended))
        ended = ended.cause
    return chain[::-1]


def _problem(error: Problem) -> dict[str, Any]:
    """One problem without its cause, which the chain shows."""
    return {
        "kind": error.kind,
        "message": error.message,
        "place": _place(error.place),
        "frames": [_place(frame) for frame in error.frames],
        "likely_causes": list(error.causes),
    }


def _place(place: Place | None) -> dict[str, Any] | None:
    return None if place is None else asdict(place)


def _suggestions(explained: DebugReport) -> list[str]:
    """What to do, what is certain first."""
    steps = [f"to {each.what}: {each.remedy}" if not each.certain else each.remedy for each in explained.refused]
    ended = explained.problem
    if explained.error_type is not None and ended is not None and ended.place is not None:
        steps.append(f"look at {ended.place.file}" + (f" line {ended.place.line}" if ended.place.line else ""))
    return list(dict.fromkeys(steps))
