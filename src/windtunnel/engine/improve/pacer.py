"""One side of a comparison: a sandbox that stays, in which the workload runs each time it is told to."""

from __future__ import annotations

import contextlib
import math
import os
import queue
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

from windtunnel.core.errors import WindtunnelError
from windtunnel.core.ports import Job
from windtunnel.core.tool import OWN, Invocation
from windtunnel.engine.improve.stand import Stand, read
from windtunnel.speedups.scripts import script

SCRIPT = "windtunnel_timed.py"
_FIELDS = 3
_MOST_LINE = 1 << 20
_PATIENCE_SECONDS = 300.0
"""How long one round may take; an edit may never come to its end."""


class WorkloadFailed(WindtunnelError):
    """The workload did not end well, or printed something else; what was measured so far means nothing."""

    code = "workload-failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """Some runs of the workload, one after the other."""

    cpu_seconds: float
    """Of the processor, user and system, of all of them."""
    printed: str
    """The digest of what each of them printed."""


class Pacer:
    """A context in which rounds can be asked for."""

    def __init__(self, stand: Stand, texts: Mapping[str, str], *, hash_seed: int) -> None:
        """The project with these files replaced; every run of the workload has this seed of hashes."""
        self._stand, self._texts, self._hash_seed = stand, texts, hash_seed
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self._rest = b""
        self._ended = False
        self._failure: Exception | None = None

    def __enter__(self) -> Self:
        """Start the sandbox."""
        ours, theirs = os.pipe()
        self._input = os.fdopen(theirs, "wb", buffering=0)
        self._output = os.fdopen(ours, "rb", buffering=0)
        self._thread = threading.Thread(target=self._run, name="windtunnel-pacer", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Let it come to its end; what does not is ended."""
        self._ended = True
        with contextlib.suppress(OSError):
            self._input.close()
        self._thread.join()
        self._output.close()

    def ready(self) -> None:
        """Wait until it can be told to run."""
        self._line()

    def go(self, *, core: int, times: int) -> None:
        """Begin a round; ``round`` waits for its end."""
        with contextlib.suppress(OSError):  # who is gone is heard of when the answer is waited for
            self._input.write(f"{core} {times}\n".encode())

    def round(self, *, times: int) -> Round:
        """What the round that was begun came to."""
        told = read(self._line())
        if not _is_round(told, times):
            raise WorkloadFailed("the workload did not come to its end")
        seconds, codes, printed = told
        if any(codes):
            raise WorkloadFailed(f"the workload ends with {next(code for code in codes if code)}")
        if len(printed) > 1:
            raise WorkloadFailed("the workload prints something else each time")
        return Round(cpu_seconds=max(float(seconds), 1e-6), printed=printed[0])

    def _line(self) -> bytes:
        try:
            line = self._lines.get(timeout=_PATIENCE_SECONDS)
        except queue.Empty:
            raise WorkloadFailed(f"the workload did not end within {_PATIENCE_SECONDS:.0f} seconds") from None
        if line is None:
            if isinstance(self._failure, WindtunnelError):
                raise self._failure
            raise WorkloadFailed("the workload did not come to its end") from self._failure
        return line

    def _run(self) -> None:
        try:
            stand = self._stand
            argv = ("python", f"{OWN}/{SCRIPT}", *stand.program)
            job = stand.job(Invocation(argv=argv, files={SCRIPT: script(SCRIPT)}), texts=self._texts,
                            env={"PYTHONHASHSEED": str(self._hash_seed)})
            stand.rig.sandbox.run(self._live(job))
        except (WindtunnelError, OSError) as failure:  # raised again in the thread that waits
            self._failure = failure
        finally:
            self._lines.put(None)

    def _live(self, job: Job) -> Job:
        return replace(job, stdin=self._output, on_stdout=self._heard, stop=lambda: self._ended)

    def _heard(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._lines.put(line)
        self._rest = self._rest[:_MOST_LINE]


def _is_round(told: object, times: int) -> bool:
    if not (isinstance(told, list) and len(told) == _FIELDS):
        return False
    seconds, codes, printed = told
    return (isinstance(seconds, int | float) and math.isfinite(seconds) and seconds >= 0
            and isinstance(codes, list) and len(codes) == times and all(isinstance(code, int) for code in codes)
            and isinstance(printed, list) and bool(printed) and all(isinstance(one, str) for one in printed))
