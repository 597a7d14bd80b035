"""Why a run failed: the program's own words, and what the sandbox had to do with it.

What the supervisor saw (the reason, refused connections, blocked calls) is certain. What is read from
the output is the program's word: it is shown as a likely refusal, never as a fact.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass

from windtunnel.core.effects import Effects
from windtunnel.core.problem import Problem
from windtunnel.core.result import ExecutionResult, Reason

_WATCHABLE = ("files", "processes", "network", "blocked")
_SIGNAL_BASE = 128
_TAIL = 4000
"""Characters of standard error searched for the system's own words, beside the problems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """One thing the sandbox did not let the program do."""

    what: str
    evidence: str
    """What was seen."""
    remedy: str
    """Which field of the request to change, or that none does."""
    certain: bool
    """Whether the supervisor saw it; otherwise the program's output says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DebugReport:
    """What to know about a run that went wrong; for one that went well, only what was refused."""

    error_type: str | None
    """The limit that ended it (``Timeout``, ``OutOfMemory`` …), or the name of the error; None on success."""
    headline: str
    """One line to read first."""
    message: str | None = None
    """What the limit or the error says; None on success."""
    problems: tuple[Problem, ...] = ()
    """Root cause first."""
    problem: Problem | None = None
    """The one of them that ended the program; its ``cause`` leads to the root."""
    causes: tuple[str, ...] = ()
    """Likely causes, in words, those of what ended the program first."""
    refused: tuple[Refusal, ...] = ()
    unwatched: tuple[str, ...] = ()
    """Side effects nobody looked for, so that their absence means nothing."""


_LIMITS = {
    Reason.TIMEOUT: ("the wall clock ran out", "wall_seconds"),
    Reason.CPU_TIME: ("the processor time ran out", "cpu_seconds"),
    Reason.OUT_OF_MEMORY: ("the memory limit was reached", "memory_bytes"),
    Reason.OUT_OF_DISK: ("the private file system was full", "disk_bytes, or files for very many small ones"),
    Reason.TOO_MANY_PROCESSES: ("no more processes or threads could be started", "processes"),
}
_FILTERED = "no field does: the system-call filter holds for every run"
_ONLINE = "allow_hosts for the hosts it needs, or network_enabled for all"
_ROOM = "disk_bytes, or files for very many small ones"
# What the system says, what that means here, which field changes it. The first that is said of each meaning counts.
_SYMPTOMS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    (
        ("Temporary failure in name resolution", "Name or service not known", "Network is unreachable",
         "ENETUNREACH", "EAI_AGAIN", "ENOTFOUND", "Could not resolve host", "failed to lookup address",
         "UnknownHostException", "DNSResolveFailed", "dial tcp", "Requires net access"),
        "reach the network", _ONLINE,
    ),
    (
        ("Read-only file system", "EROFS"),
        "write to a read-only file system", "read_only=False to write below /sandbox; /tmp is always writable",
    ),
    (
        ("No space left on device", "ENOSPC", "Disk quota exceeded", "File too large", "EFBIG"),
        "write more to its private file system", _ROOM,
    ),
    (
        ("Resource temporarily unavailable", "EAGAIN", "can't start new thread", "Cannot fork", "pthread_create failed",
         "unable to create native thread", "failed to create new OS thread"),
        "start another process or thread", "processes",
    ),
    (
        ("Cannot allocate memory", "ENOMEM", "MemoryError", "OutOfMemoryError", "std::bad_alloc", "heap out of memory",
         "failed to allocate memory", "not enough memory", "memory allocation of", "cannot allocate vector"),
        "use more memory", "memory_bytes",
    ),
    (("Too many open files", "EMFILE"), "open another file", "open_files"),
    (
        ("Operation not permitted", "EPERM", "Bad system call", "Function not implemented", "ENOSYS"),
        "make a system call that is refused in the sandbox", _FILTERED,
    ),
    (
        ("Permission denied", "PermissionError", "EACCES"),
        "use a file or device it has no right to",
        "read_only=False to write below /sandbox; /tmp is always writable, the rest belongs to the host",
    ),
)  # fmt: skip


def report(result: ExecutionResult) -> DebugReport:
    """Explain a result; never raises, whatever the program wrote."""
    refused = [*_limit(result), *_seen(result.effects)]
    unwatched = tuple(name for name in _WATCHABLE if name not in result.effects.watched)
    if result.success:
        return DebugReport(error_type=None, headline="succeeded", refused=tuple(refused), unwatched=unwatched)
    from windtunnel.parsers import problems  # noqa: PLC0415 -- its patterns cost more to build than a run that succeeds

    found = problems(result.language, stderr=result.stderr, stdout=result.stdout)
    ended = _surface(found)
    refused += _likely(found, stderr=result.stderr, known={refusal.what for refusal in refused})
    return DebugReport(
        error_type=_error_type(result, ended),
        headline=_headline(result, ended),
        message=_message(result, ended),
        problems=found,
        problem=ended,
        causes=_causes(ended),
        refused=tuple(refused),
        unwatched=unwatched,
    )


def _surface(found: tuple[Problem, ...]) -> Problem | None:
    """What ended the program: from the root cause, which comes first, up to what came of it in the end."""
    ended = found[0] if found else None
    for error in found[1:]:
        ended = error if error.cause is ended else ended
    return ended


def _causes(ended: Problem | None) -> tuple[str, ...]:
    causes: dict[str, None] = {}
    while ended is not None:
        causes.update(dict.fromkeys(ended.causes))
        ended = ended.cause
    return tuple(causes)


def _error_type(result: ExecutionResult, ended: Problem | None) -> str:
    if result.reason is not Reason.EXITED:
        return "".join(word.capitalize() for word in result.reason.split("_"))
    return ended.kind if ended is not None else _signal(result.exit_code) or "ExitCode"


def _signal(exit_code: int) -> str | None:
    """The signal that an exit code usually stands for; a program can also choose such a code."""
    number = -exit_code if exit_code < 0 else exit_code - _SIGNAL_BASE
    return next((each.name for each in signal.Signals if each.value == number), None)


def _headline(result: ExecutionResult, ended: Problem | None) -> str:
    broken = [stage.name for stage in result.stages if stage.exit_code or stage.reason is not Reason.EXITED]
    opening = f"{broken[0]}: " if broken and broken[0] != "run" else ""
    if result.reason is not Reason.EXITED or ended is None:
        return f"{opening}{_message(result, ended)}"
    where = f" at {_at(ended)}" if ended.place is not None else ""
    root = ended
    while root.cause is not None:
        root = root.cause
    because = f", caused by {_said(root)}" if root is not ended else ""
    return f"{opening}{_said(ended)}{where}{because}"


def _message(result: ExecutionResult, ended: Problem | None) -> str:
    """The limit's words before the program's, which may have failed of it; never output that was not tidied."""
    if result.reason is not Reason.EXITED:
        return result.error_message or str(result.reason)
    if ended is not None:
        return ended.message or ended.kind
    name = _signal(result.exit_code)
    return f"exit code {result.exit_code}" + (f", which usually stands for {name}" if name else "")


def _said(error: Problem) -> str:
    first = error.message.partition("\n")[0][:200]
    return f"{error.kind}: {first}" if first else error.kind


def _at(error: Problem) -> str:
    assert error.place is not None
    return error.place.file if error.place.line is None else f"{error.place.file}:{error.place.line}"


def _limit(result: ExecutionResult) -> list[Refusal]:
    if result.reason not in _LIMITS:
        return []
    what, field = _LIMITS[result.reason]
    return [Refusal(what=what, evidence=_measured(result), remedy=f"raise {field}", certain=True)]


def _measured(result: ExecutionResult) -> str:
    """What the supervisor measured of the thing that ran out."""
    usage = result.usage
    measured = {
        Reason.CPU_TIME: ("seconds of processor time used", usage.cpu_seconds),
        Reason.OUT_OF_MEMORY: ("bytes of memory at the peak", usage.memory_peak_bytes),
        Reason.OUT_OF_DISK: ("bytes left on the private file system", usage.disk_bytes),
        Reason.TOO_MANY_PROCESSES: ("processes at the peak", usage.processes_peak),
    }
    unit, amount = measured.get(result.reason, ("seconds", round(result.execution_time, 3)))
    return f"{amount} {unit}" if amount is not None else "seen by the supervisor, which could not measure how much"


def _seen(effects: Effects) -> list[Refusal]:
    network = [
        Refusal(what="reach the network", evidence=f"{attempt.target} refused {attempt.count} times: {attempt.rule}",
                remedy=f"set {_ONLINE}", certain=True)
        for attempt in effects.network
        if attempt.outcome == "refused"
    ]  # fmt: skip
    blocked = [
        Refusal(what=f"the system call {call.name}", evidence=f"blocked {call.count} times", remedy=_FILTERED,
                certain=True)
        for call in effects.blocked
    ]  # fmt: skip
    return network + blocked


def _likely(found: tuple[Problem, ...], *, stderr: str, known: set[str]) -> list[Refusal]:
    """Refusals that the output speaks of, without those that were seen."""
    said = "\n".join([*(f"{error.kind}: {error.message}" for error in found), stderr[-_TAIL:]])
    likely: list[Refusal] = []
    for words, what, field in _SYMPTOMS:
        word = next((word for word in words if word in said), None)
        if word is not None and what not in known:
            remedy = field if field == _FILTERED else f"if the sandbox refused it: {field}"
            likely.append(Refusal(what=what, evidence=f"the output says {word!r}", remedy=remedy, certain=False))
    return likely
