"""Runs the steps of workflows inside a sandbox, each in a process of its own that begins where the last one ended.

Whoever holds the state so far forks a child; the child runs the step, reports, and holds the state from then on, so a
later step finds what an earlier one left. A child that dies or never returns is reported by its parent, which goes on
from the state before that step. What does not hold: threads do not live on into the next step, and a program that looks
for the report can forge its own.
"""

from __future__ import annotations

import importlib
import inspect
import json
import os
import resource
import select
import signal
import sys
import time
from typing import Any, Dict, Tuple

MOST_RECORD = 2000
MOST_WORDS = 200
BEGUN = "begun"
"""No way to end: a step of which this alone is told ended everything here."""
MOST_ITEMS = 10_000
"""Of a generator: more are not asked for."""
TICK = 0.02
END = b"{}\n"
OVER = b'{"over": true}\n'
"""The last line where time was over before the steps were."""
ACK_SECONDS = 5.0
clock = time.perf_counter
"""Kept from before any fault of the clock begins."""
Way = Tuple[int, int]
"""Where records go, and where it is heard that they are written."""


class NotCalledError(Exception):
    """The step called nothing; the message says why."""


class Report:
    """The only writer of the report; its room is taken beforehand, so a full disk does not lose it."""

    def __init__(self, path: str, steps: int) -> None:
        """``steps`` says how much room is taken."""
        self.file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC, 0o600)
        os.posix_fallocate(self.file, 0, MOST_RECORD * (2 * steps + 1))
        self.length = 0
        self.source, self.sink = os.pipe()
        self.written, self.ack = os.pipe()
        """A byte for each record that is in the file, so that what follows cannot undo it."""

    def follow(self, seconds: float) -> None:
        """Write down what comes, until the end is told or time is over."""
        until, kept = time.monotonic() + seconds, b""
        while not kept.endswith(END) and time.monotonic() < until:
            if select.select([self.source], [], [], 0.1)[0]:
                came = os.read(self.source, 65536)
                if not came:
                    break
                kept += came
            *lines, rest = kept.split(b"\n")
            for line in lines:
                if line != END.strip():
                    self._write(line[:MOST_RECORD] + b"\n")
            kept = END if END.strip() in lines else rest
        if time.monotonic() >= until:
            self.length += os.pwrite(self.file, OVER, self.length)
        os.ftruncate(self.file, self.length)

    def _write(self, line: bytes) -> None:
        self.length += os.pwrite(self.file, line, self.length)
        try:
            os.write(self.ack, b"w")
        except BlockingIOError:
            pass  # nobody reads what somebody forged


def tell(way: Way, place: Tuple[int, int], ended: str, **more: Any) -> None:
    """One record, small enough to arrive in one piece; over when it is written down."""
    sink, written = way
    told = {"workflow": place[0], "step": place[1], "ended": ended, **more}
    if "reason" in told:
        told["reason"] = str(told["reason"])[:MOST_WORDS]
    os.write(sink, json.dumps(told).encode() + b"\n")
    if select.select([written], [], [], ACK_SECONDS)[0]:
        os.read(written, 1)


def called(step: Dict[str, Any], names: Dict[str, Any]) -> None:
    """Run one step; what it raises is its own."""
    if step["kind"] == "statement":
        exec(compile(step["text"], "<step>", "exec"), names)
        return
    if step["kind"] != "call":
        raise NotCalledError(step["reason"])
    found: Any = importlib.import_module(step["module"])
    for part in step["function"].split("."):
        found = getattr(found, part)
    if not callable(found):
        raise NotCalledError("it is no function, but " + type(found).__name__)
    finish(found(*given(found)))


def given(function: Any) -> Tuple[()]:
    """No arguments, where it takes none."""
    try:
        inspect.signature(function).bind()
    except TypeError as error:
        raise NotCalledError("it needs arguments: %s" % error) from None
    except ValueError:
        pass
    return ()


def finish(value: Any) -> None:
    """What a call only promised is really done: a coroutine is awaited, a generator is drained."""
    if inspect.iscoroutine(value):
        import asyncio

        asyncio.run(value)
    elif inspect.isgenerator(value):
        for number, _ in enumerate(value):
            if number >= MOST_ITEMS:
                break


def judged(step: Dict[str, Any], names: Dict[str, Any]) -> Tuple[str, str]:
    """How it ended, and why."""
    try:
        called(step, names)
    except NotCalledError as error:
        return "not called", str(error)
    except SystemExit as error:
        return ("returned", "") if not error.code else ("raised", "SystemExit: %s" % error.code)
    except BaseException as error:
        return "raised", described(error)
    return "returned", ""


def begin(faults: Dict[str, Any]) -> str:
    """Conditions for this process, made by files that lie beside this one; empty, or why there are none."""
    try:
        if faults:
            importlib.import_module("windtunnel_faults").begin(faults)
    except BaseException as error:
        return "the faults could not begin: " + described(error)
    return ""


def end(faults: Dict[str, Any]) -> None:
    """As before; what cannot be undone stays for the next step too, which then begins its own over it."""
    try:
        if faults:
            sys.modules["windtunnel_faults"].end()
    except BaseException as error:
        sys.stderr.write("the faults did not end: %s\n" % described(error))


def described(error: BaseException) -> str:
    """Never raises, whatever the error's own text does."""
    try:
        return "%s: %s" % (type(error).__name__, error)
    except BaseException:
        return type(error).__name__


def flush() -> None:
    """So that nothing is printed twice; a program may have put anything in the place of its output."""
    try:
        sys.stdout.flush()
    except BaseException:
        pass


def usage() -> float:
    """CPU seconds of this process and of those it waited for."""
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def run_step(step: Dict[str, Any], names: Dict[str, Any], plan: Dict[str, Any], way: Way) -> None:
    """In the child: run it, measure it, say so; faults begin before the clock does."""
    os.setsid()
    place = (step["workflow"], step["number"])
    tell(way, place, BEGUN)
    without = begin(plan["faults"])
    if without:
        tell(way, place, "not called", reason=without)
        return
    cpu, start = usage(), clock()
    ended, reason = judged(step, names)
    seconds, cpu = clock() - start, usage() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    end(plan["faults"])
    flush()
    tell(way, place, ended, reason=reason, wall_seconds=seconds, cpu_seconds=cpu, peak_memory_bytes=peak)


def outlived(child: int, reader: int, seconds: float) -> str:
    """Empty when the child goes on by itself; else how it ended, it being dead."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if select.select([reader], [], [], TICK)[0] and os.read(reader, 1):
            return ""
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended and not (select.select([reader], [], [], 0)[0] and os.read(reader, 1)):
            return "signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "exit code %d" % (status >> 8)
        if ended:
            return ""
    try:
        os.killpg(child, signal.SIGKILL)
    except OSError:
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return "time"


def chain(plan: Dict[str, Any], way: Way) -> None:
    """All steps in order; each time the process that holds the state goes on, and the other ends."""
    spaces: Dict[int, Dict[str, Any]] = {}
    for step in plan["steps"]:
        names = spaces.setdefault(step["workflow"], {"__name__": "workflow_%d" % step["workflow"]})
        reader, writer = os.pipe()
        flush()
        child = os.fork()
        if child == 0:
            os.close(reader)
            run_step(step, names, plan, way)
            os.write(writer, b"k")
            os.close(writer)
            continue
        os.close(writer)
        start = clock()
        how = outlived(child, reader, plan["step_seconds"])
        os.close(reader)
        if not how:
            os._exit(0)
        seconds = clock() - start
        place = (step["workflow"], step["number"])
        if how == "time":
            tell(way, place, "timed out", reason="it did not return in %g s" % plan["step_seconds"],
                 wall_seconds=seconds)
        else:
            tell(way, place, "died", reason=how, wall_seconds=seconds)
    os.write(way[0], END)


def main(plan: Dict[str, Any]) -> None:
    """Follow a chain of processes to its end."""
    for root in reversed(plan["roots"]):
        sys.path.insert(0, os.path.abspath(root))
    report = Report(plan["report"], len(plan["steps"]))
    if os.fork() == 0:
        try:
            chain(plan, (report.sink, report.written))
        finally:
            os._exit(0)
    os.close(report.sink)
    os.set_blocking(report.ack, False)
    report.follow(plan["total_seconds"])


