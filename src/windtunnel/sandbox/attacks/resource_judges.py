"""Judges and watchers of the resource section: the limits as the host sees them."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

from windtunnel.core.limits import KIB, MIB
from windtunnel.core.result import ExecutionResult, Reason
from windtunnel.sandbox.attacks import processes
from windtunnel.sandbox.attacks.base import Values, Verdict, held, not_held, unproven
from windtunnel.sandbox.attacks.host import Host
from windtunnel.sandbox.attacks.judges import astray, refusals

_GRACE_SECONDS = 2.0
_OUR_GROWTH_BYTES = 16 * MIB


def memory_stopped(host: Host, result: ExecutionResult) -> Verdict:
    """The memory limit ended the run before all was touched."""
    if did := host.said(result).did:
        return not_held(f"touched {did['touched']} under a limit of {host.limits.memory_bytes // MIB} MiB")
    if result.reason is Reason.OUT_OF_MEMORY:
        return held(f"stopped as out of memory; peak {result.usage.memory_peak_bytes} bytes")
    if result.reason is Reason.TIMEOUT:
        return unproven("its time was over before it had touched it all")
    return not_held(f"did not touch it all, yet the reason given is {result.reason}, exit code {result.exit_code}")


def _total(host: Host, result: ExecutionResult) -> int | None:
    """The last total that the program told."""
    lines = [line.split() for line in result.stdout.splitlines()]
    totals = [int(words[2]) for words in lines if words[:2] == [host.token, "total"]]
    return totals[-1] if totals else None


def memory_counted(host: Host, result: ExecutionResult) -> Verdict:
    """What the program kept outside its own pages stayed within the memory limit."""
    total, most = _total(host, result), host.limits.memory_bytes
    if total is not None and total > most:
        return not_held(f"held {total // MIB} MiB under a limit of {most // MIB} MiB")
    if result.reason is Reason.OUT_OF_MEMORY:
        return held("stopped as out of memory")
    return astray(host, result) or held(f"held {total} bytes: {refusals(host, result)}")


def few_processes(host: Host, result: ExecutionResult) -> Verdict:
    """The host never saw more processes than the limit."""
    if host.peak_processes > host.limits.processes:
        return not_held(f"{host.peak_processes} processes at once under a limit of {host.limits.processes}")
    if verdict := astray(host, result):
        return verdict
    if not host.peak_processes:
        return unproven("no process could be seen in the host's process table")
    return held(f"{host.peak_processes} processes at most, reason {result.reason}: {refusals(host, result)}")


def few_threads(host: Host, result: ExecutionResult) -> Verdict:
    """The host saw no more threads than the limit."""
    return _few(host, result, what="threads", most=host.limits.processes)


def few_descriptors(host: Host, result: ExecutionResult) -> Verdict:
    """The host saw no more descriptors than the limit."""
    return _few(host, result, what="descriptors", most=host.limits.open_files)


def _few(host: Host, result: ExecutionResult, *, what: str, most: int) -> Verdict:
    if verdict := astray(host, result):
        return verdict
    if host.posture is None:
        return unproven("the process could not be seen in the host's process table")
    count = int(host.posture.status["Threads"]) if what == "threads" else len(host.posture.descriptors)
    if count > most:
        return not_held(f"{count} {what} under a limit of {most}")
    return held(f"{count} {what}: {refusals(host, result)}")


def filled(host: Host) -> Values:
    """Promise that what the program fills is gone afterwards."""
    for folder in {tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"}:  # noqa: S108 -- where it tries to write
        host.remove_afterwards(f"{folder}/{host.token}-fill")
        host.remove_afterwards(f"{folder}/{host.token}-many")
    return {}


def disk_bounded(host: Host, result: ExecutionResult) -> Verdict:
    """Fewer bytes were written than the limit."""
    return _bounded(host, result, most=host.limits.disk_bytes, what="bytes")


def files_bounded(host: Host, result: ExecutionResult) -> Verdict:
    """Fewer files were made than the limit."""
    return _bounded(host, result, most=host.limits.files, what="files")


def _bounded(host: Host, result: ExecutionResult, *, most: int, what: str) -> Verdict:
    total = _total(host, result)
    if total is not None and total > most:
        return not_held(f"{total} {what} under a limit of {most}")
    if result.reason is Reason.OUT_OF_DISK:
        return held(f"ended by the supervisor with {result.usage.disk_bytes} bytes on disk, reason {result.reason}")
    return astray(host, result) or held(f"{total} {what}, reason {result.reason}: {refusals(host, result)}")


def forget_peak(host: Host) -> Values:
    """Begin our own memory peak anew."""
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")
    host.memory_before = _own_peak()
    return {}


def _own_peak() -> int:
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * KIB for line in lines if line.startswith("VmHWM"))


def output_bounded(host: Host, result: ExecutionResult) -> Verdict:
    """Output was cut while it was read, and our own memory stayed flat."""
    growth, kept = _own_peak() - host.memory_before, len(result.stdout_bytes)
    if kept > host.limits.output_bytes + KIB or growth > _OUR_GROWTH_BYTES:
        return not_held(f"{kept // KIB} KiB kept of 50 MiB; our own memory grew by {growth // KIB} KiB")
    if not result.stdout_dropped:
        return unproven("no output was dropped, so the program cannot have written it all")
    return held(f"{kept // KIB} KiB kept, {result.stdout_dropped // KIB} KiB dropped; we grew by {growth // KIB} KiB")


def timed_out(host: Host, result: ExecutionResult) -> Verdict:
    """The wall limit ended the run on time."""
    if result.reason is Reason.TIMEOUT and host.elapsed < host.limits.wall_seconds + _GRACE_SECONDS:
        return astray(host, result) or held(f"stopped after {host.elapsed:.1f} s")
    return not_held(f"{result.reason} after {host.elapsed:.1f} s under a limit of {host.limits.wall_seconds} s")


def none_left(host: Host, result: ExecutionResult) -> Verdict:
    """No process outlived the run."""
    if alive := processes.marked(host.token):
        return not_held(f"{len(alive)} process(es) outlived the run")
    return astray(host, result) or held("no process of the run is left in the host's process table")


def on_time(host: Host, result: ExecutionResult) -> Verdict:
    """The run came back on time, and no process outlived it."""
    if host.elapsed >= host.limits.wall_seconds + _GRACE_SECONDS:
        return not_held(f"the run came back after {host.elapsed:.1f} s")
    return none_left(host, result)


def processor_time(host: Host, result: ExecutionResult) -> Verdict:
    """The limit on processor time ended the run."""
    if host.said(result).did:
        return not_held(f"2.4 processor seconds were burned under a limit of {host.limits.cpu_seconds}")
    if result.reason is Reason.CPU_TIME:
        return held(f"stopped after {host.elapsed:.1f} s; {result.usage.cpu_seconds} processor seconds")
    return not_held(f"the reason given is {result.reason} after {host.elapsed:.1f} s")


def outlast(host: Host, stop: threading.Event) -> None:
    """Let the greedy program hold all it could get until the modest one beside it has ended."""
    if processes.await_held(host.token, stop) is not None:
        host.peak_processes = len(processes.marked(host.token))
        host.run_beside()
        processes.end(host.token)


def separate(host: Host, result: ExecutionResult) -> Verdict:
    """The greedy run is stopped at its limit, and the modest one beside it gets all that it asks for."""
    if host.peak_processes > host.limits.processes:
        return not_held(f"the greedy run had {host.peak_processes} processes under a limit of {host.limits.processes}")
    if verdict := astray(host, result):
        return verdict
    if host.beside is None:
        return unproven("the greedy run could not be seen in the host's process table")
    if host.said(host.beside).did:
        return held(f"greedy: {refusals(host, result)}; modest: 16 of 16")
    return astray(host, host.beside) or not_held(f"the modest run was starved: {refusals(host, host.beside)}")
