"""Judges and watchers that several attacks share."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeAlias

from windtunnel.core.limits import MIB
from windtunnel.core.result import ExecutionResult
from windtunnel.sandbox.attacks import processes
from windtunnel.sandbox.attacks.base import Values, Verdict, held, not_held, unproven
from windtunnel.sandbox.attacks.host import Host
from windtunnel.sandbox.attacks.posture import Posture, posture_of

_GRACE_SECONDS = 5.0
Judge: TypeAlias = Callable[[Host, ExecutionResult], Verdict]


def look(host: Host, stop: threading.Event) -> None:
    """Read the posture of the program while it holds still, then end it."""
    pid = processes.await_held(host.token, stop)
    if pid is None:
        return
    try:
        host.peak_processes = len(processes.marked(host.token))
        host.posture = posture_of(pid)
    except OSError:
        # The judge says that the posture could not be read; a guess would be worse.
        host.posture = None
    processes.end(host.token)


def astray(host: Host, result: ExecutionResult) -> Verdict | None:
    """The verdict on a program that did not reach its end; None for one that did."""
    if host.said(result).done:
        return None
    last = (result.stderr.strip().splitlines() or ["no error output"])[-1]
    return unproven(f"ended before its last act ({result.reason}, exit code {result.exit_code}): {last[:120]}")


def refusals(host: Host, result: ExecutionResult) -> str:
    """The program's refusals as one line."""
    refused = host.said(result).refused
    return ", ".join(f"{label} {error}" for label, error in refused.items()) or "there was nothing to refuse"


def nothing_done(host: Host, result: ExecutionResult) -> Verdict:
    """Every act was refused; for acts that only the program can see."""
    did = host.said(result).did
    if did:
        return not_held("done: " + ", ".join(f"{label} ({text[:40]})" for label, text in did.items()))
    return astray(host, result) or held(f"refused: {refusals(host, result)}")


def untold(secret: Callable[[Host], str | tuple[str, ...]]) -> Judge:
    """A judge: none of the planted secrets came out with the output."""

    def judge(host: Host, result: ExecutionResult) -> Verdict:
        planted = secret(host)
        found = [one for one in ((planted,) if isinstance(planted, str) else planted) if one in result.stdout]
        if found:
            return not_held(f"the program printed {len(found)} planted secret(s)")
        return astray(host, result) or held(f"no planted secret came out: {refusals(host, result)[:160]}")

    return judge


def uncounted(door: str) -> Judge:
    """A judge: nobody reached the host's listener of that name."""

    def judge(host: Host, result: ExecutionResult) -> Verdict:
        if count := host.listeners.settled()[door]:
            return not_held(f"the host's {door} listener was reached {count} time(s)")
        return astray(host, result) or held(f"the host's {door} listener counted 0: {refusals(host, result)[:160]}")

    return judge


def seen(check: Callable[[Posture], str | None]) -> Judge:
    """A judge from the posture: ``check`` names what is wrong, or nothing."""

    def judge(host: Host, result: ExecutionResult) -> Verdict:
        if verdict := astray(host, result):
            return verdict
        if host.posture is None:
            return unproven("the process could not be seen in the host's process table")
        trouble = check(host.posture)
        return not_held(trouble) if trouble else held(f"as seen from the host, pid {host.posture.pid}")

    return judge


def link_target(host: Host) -> Values:
    """A private file for the program's links to point at."""
    return {"path": host.private.path}


def collected(host: Host, result: ExecutionResult) -> Verdict:
    """Reading back was bounded in bytes and time, and followed no link."""
    total = sum(len(artifact.data) for artifact in result.artifacts.values())
    if any(host.private.content.encode() in artifact.data for artifact in result.artifacts.values()):
        return not_held("a link to a host file was followed when the run was read back")
    if total > host.limits.disk_bytes:
        return not_held(f"{total // MIB} MiB were read back, beyond the disk limit")
    if host.elapsed > host.limits.wall_seconds + _GRACE_SECONDS:
        return not_held(f"reading back took the run to {host.elapsed:.1f} s")
    return astray(host, result) or held(f"{total} bytes read back, {host.elapsed:.1f} s in all")


def both(first: Judge, second: Judge) -> Judge:
    """A judge: the first verdict that is not held, else the second."""

    def judge(host: Host, result: ExecutionResult) -> Verdict:
        verdict = first(host, result)
        return second(host, result) if verdict.outcome == "held" else verdict

    return judge
