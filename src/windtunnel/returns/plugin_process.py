"""A plugin of metrics in a process of its own, so that one that hangs or ends its process hurts no run.

What holds: whatever the plugin does, asking it returns, within its time and a little more; it is gone when it is closed
or when we die. After it hung or ended its process it is not asked again. What does not hold: it is no sandbox; a plugin
may do all that this user may.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from windtunnel import spawn
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.series import finite, named
from windtunnel.returns.plugins import MOST_METRICS, SECONDS, PluginFailed, load_plugin
from windtunnel.spawn import handles

_SELF = "import sys; sys.path.insert(0, sys.argv[1]); from windtunnel.returns.plugin_process import serve; serve()"
_ROOT = str(Path(__file__).parents[2])
_TIED = str(Path(spawn.__file__).with_name("tied.py"))
_GRACE_SECONDS = 3.0
"""For starting, and for saying itself that the plugin hangs."""
_MOST_ANSWER = 1024**2
_MOST_PROBLEMS, _MOST_WORDS = 20, 400
Answer = tuple[dict[str, float], tuple[str, ...]]
"""Metrics, and what went wrong."""


class PluginProcess:
    """One plugin; its process begins with the first question."""

    def __init__(self, file: Path, *, seconds: float = SECONDS) -> None:
        """``seconds`` is what loading it may take, and each call."""
        self.file, self._seconds = file, seconds
        self._process: handles.Popen[bytes] | None = None
        self._over = False

    def collect(self, prev_roi: float, roi: float, resources: Mapping[str, float]) -> Answer:
        """What it adds to a cycle's metrics; nothing from one that is over."""
        if self._over:
            return {}, ()
        try:
            problems = () if self._process else self._begun()
            metrics, more = ({}, ()) if self._over else self._asked([prev_roi, roi, dict(resources)])
        except (PluginFailed, SandboxFailure) as failure:
            self.close()
            return {}, (f"{self.file.stem}: {failure}; it is not called again in this run",)
        return metrics, (*problems, *more)

    def close(self) -> None:
        """End its process."""
        self._over = True
        if self._process is not None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]  # all three are pipes
            self._process = None

    def _begun(self) -> tuple[str, ...]:
        argv = [sys.executable, "-I", "-S", _TIED, str(os.getpid()), sys.executable, "-P", "-c", _SELF, _ROOT]
        self._process = spawn.keeper_call(
            lambda: spawn.converse(argv, cwd=str(self.file.parent), env=os.environ, session=True))
        return self._asked({"file": str(self.file.absolute()), "seconds": self._seconds})[1]

    def _asked(self, question: object) -> Answer:
        process = self._process
        if process is None or process.stdin is None or process.stdout is None:
            raise PluginFailed("its process is gone")
        with contextlib.suppress(BrokenPipeError):  # what is read tells how it ended
            process.stdin.write(json.dumps(question).encode() + b"\n")
            process.stdin.flush()
        line = _line(process.stdout.fileno(), self._seconds + _GRACE_SECONDS)
        if line is None:
            raise PluginFailed(f"ended its process (exit code {_code(process.pid)})")
        return self._read(line)

    def _read(self, line: bytes) -> Answer:
        """What its process says is not believed: the plugin may have said it."""
        try:
            said = json.loads(line)
            metrics = {named(name, field="metrics"): finite(value, field=str(name)[:60])
                       for name, value in list(said["metrics"].items())[:MOST_METRICS]}
            problems = tuple(str(one)[:_MOST_WORDS] for one in list(said["problems"])[:_MOST_PROBLEMS])
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError, UsageError):
            raise PluginFailed("its process said what is no answer") from None
        if said.get("over"):
            self.close()
        return metrics, problems


def serve() -> None:
    """Be the process: load what the first line names, then answer each line with a line."""
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):  # a plugin that prints speaks to nobody
        os.dup2(nowhere, stream)
    for answer in _answers(reading):
        writing.write(json.dumps(answer).encode() + b"\n")
        writing.flush()


def _answers(lines: Any) -> Any:  # noqa: ANN401 -- a stream of bytes, and dictionaries for JSON
    first = json.loads(next(lines))
    file, seconds = Path(first["file"]), float(first["seconds"])
    try:
        plugin = load_plugin(file, seconds=seconds)
    except (PluginFailed, UsageError, TimeoutError) as failure:
        yield {"metrics": {}, "problems": [f"{file}: not loaded: {failure}"], "over": True}
        return
    yield {"metrics": {}, "problems": []}
    for line in lines:
        metrics = plugin.collect_metrics(*json.loads(line))
        yield {"metrics": metrics, "problems": [f"{one}; it is not called again in this run" if plugin.hung else one
                                                for one in plugin.problems], "over": plugin.hung}
        plugin.problems.clear()


def _code(pid: int) -> int:
    """How it ended; it is not reaped yet, so that its number cannot be anybody else's when its group is ended."""
    ended = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    return ended.si_status if ended else 0


def _line(descriptor: int, seconds: float) -> bytes | None:
    """The next one; none where there is no more. ``PluginFailed`` where it takes too long or says too much."""
    found, until, poll = bytearray(), time.monotonic() + seconds, select.poll()
    poll.register(descriptor, select.POLLIN)
    while not found.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise PluginFailed(f"took more than {seconds:g} seconds")
        chunk = os.read(descriptor, 65_536)
        if not chunk:
            return None
        found += chunk
        if len(found) > _MOST_ANSWER:
            raise PluginFailed(f"said more than {_MOST_ANSWER} bytes")
    return bytes(found)
