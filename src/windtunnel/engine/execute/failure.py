"""Why a task failed, whether trying again could help, and what a person can do."""

from __future__ import annotations

import hashlib
import re

from windtunnel.core.plan import ErrorInfo, FailureKind, Task, TaskPlan
from windtunnel.core.problem import Diagnosis, Problem, ProblemKind
from windtunnel.core.result import ExecutionResult, Reason
from windtunnel.diagnosis.normal import normal

_REASONS = {
    Reason.TIMEOUT: FailureKind.TIMEOUT, Reason.CPU_TIME: FailureKind.TIMEOUT,
    Reason.OUT_OF_MEMORY: FailureKind.MEMORY, Reason.OUT_OF_DISK: FailureKind.DISK,
    Reason.KILLED: FailureKind.KILLED, Reason.CANCELLED: FailureKind.KILLED}
_NOT_FOUND = 127
_NETWORK = re.compile(
    r"Temporary failure in name resolution|Name or service not known|Could not resolve (?:host|proxy)|\bENOTFOUND\b|"
    r"\bEAI_AGAIN\b|\bETIMEDOUT\b|\bECONNRESET\b|\bENETUNREACH\b|Network is unreachable|No route to host|"
    r"NewConnectionError|ProxyError|Tunnel connection failed|Failed to establish a new connection|dial tcp|"
    r"spurious network error|failed to fetch|Could not transfer artifact|Unknown host|no such host|"
    r"Connection (?:timed out|reset by peer)|50[234] (?:Bad Gateway|Service Unavailable|Gateway Time-?out)|"
    r"HTTP Error 50[234]|Could not reach host|UnknownHostException")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
"""Also where a unit follows, as in ``0.003s``."""
_ADVICE = {
    FailureKind.TIMEOUT: "give it more time: {again} doubles it",
    FailureKind.MEMORY: "give it more memory: {again} doubles it, up to the cap",
    FailureKind.TOOL_MISSING: "install {tool} where the sandbox finds it, or plan an install first",
    FailureKind.NETWORK: "{reach}: name the hosts that it needs ({again} --allow-host HOST)",
    FailureKind.DISK: "it needs more room: raise limits.disk_bytes, or clean up in a task before it",
}
_LINES = 200
_MOST_TEXT = 200_000
_MOST_DIAGNOSIS = 8


def output_of(result: ExecutionResult, *, most: int) -> str:
    """Both streams as one text, its head and its tail."""
    text = "\n".join(part for part in (result.stdout.rstrip("\n"), result.stderr.rstrip("\n")) if part)
    if len(text) <= most:
        return text
    half = most // 2 - 50
    return f"{text[:half]}\n… {len(text) - 2 * half} letters left out …\n{text[-half:]}"


def is_good(task: Task, result: ExecutionResult) -> bool:
    """Whether it did what is expected; a server that still runs when its time is over did."""
    return result.success or (not task.ends and result.reason is Reason.TIMEOUT)


def kind_of(result: ExecutionResult) -> FailureKind:
    """By what the supervisor saw, then by what was printed."""
    if result.reason in _REASONS:
        return _REASONS[result.reason]
    if result.exit_code == _NOT_FOUND:
        return FailureKind.TOOL_MISSING
    text = f"{result.stdout[-_MOST_TEXT:]}\n{result.stderr[-_MOST_TEXT:]}"
    return FailureKind.NETWORK if _NETWORK.search(text) else FailureKind.FAILED


def fingerprint(result: ExecutionResult) -> str:
    """The same for the same failure: exit code, reason, and the last lines but for times, paths and numbers."""
    lines = [_NUMBER.sub("<number>", normal(line[:500])) for text in (result.stdout, result.stderr)
             for line in text.splitlines()[-_LINES:]]
    told = f"{result.exit_code}\0{result.reason}\0" + "\n".join(lines)
    return hashlib.sha256(told.encode("utf-8", "replace")).hexdigest()[:16]


def error_of(
    task: Task, plan: TaskPlan, result: ExecutionResult, *, diagnosis: Diagnosis, deterministic: bool,
) -> ErrorInfo:
    """Everything that can be said of a failure."""
    kind = kind_of(result)
    problems = diagnosis.errors[:_MOST_DIAGNOSIS]
    message = _told(problems[0]) if problems and kind in (FailureKind.FAILED, FailureKind.NETWORK) else (
        result.error_message or "")
    if kind is FailureKind.FAILED and not problems and not result.stderr.strip():
        last = next((line for line in reversed(result.stdout.splitlines()) if line.strip()), "")
        message = last.strip()[:500] or message
    return ErrorInfo(
        kind=kind, message=message[:500] or str(kind), diagnosis=tuple(map(_told, problems)),
        suggestion=suggestion(kind, task, plan, problems=problems), fingerprint=fingerprint(result),
        deterministic=deterministic)


def _told(problem: Problem) -> str:
    place = f" ({problem.place.file}:{problem.place.line})" if problem.place is not None else ""
    named = problem.name not in ("", problem.tool, "output") and problem.name not in problem.message
    cause = f"; often {problem.causes[0]}" if problem.causes else ""
    head = "" if problem.kind == ProblemKind.GENERIC else f"{problem.kind}: "
    return " ".join(f"{head}{f'{problem.name}: ' if named else ''}{problem.message}{place}{cause}".split())[:400]


def suggestion(kind: FailureKind, task: Task, plan: TaskPlan, *, problems: tuple[Problem, ...] = ()) -> str:
    """What to do next."""
    again = f"windtunnel execute {plan.id} --retry {task.id}"
    kinds = {problem.kind for problem in problems}
    if ProblemKind.NETWORK in kinds:
        kind = FailureKind.NETWORK
    if kind in _ADVICE:
        reach = "its hosts could not be reached" if task.hosts else "it has no network"
        return _ADVICE[kind].format(again=again, tool=task.tool or "the program that it calls", reach=reach)
    if kinds & {ProblemKind.IMPORT, ProblemKind.DEPENDENCY}:
        return _installed(task, plan)
    if not problems:
        return f"look at its output; {again} keeps more of it"
    return f"mend the first problem in the workspace, then {again}" if plan.workspace else (
        f"mend the first problem; windtunnel fix {plan.root} tries to do so for failing tests")


def _installed(task: Task, plan: TaskPlan) -> str:
    """By a task that is there, or by asking for one."""
    before = next((one for one in plan.tasks if one.purpose == "install" and one.folder == task.folder), None)
    if before is None:
        return f'something is not installed: windtunnel plan "install and {task.purpose}" {plan.root}'
    return f"something that {before.id} does not install is missing: add it to the manifest of {task.folder or 'it'}"
