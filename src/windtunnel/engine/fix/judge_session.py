"""One sandbox in which the judge of proposals waits for orders, for as long as somebody has any.

What holds: the project on disk is never touched; what is told counts only when it is sealed by the process that loads
nothing of the project; when this process dies the sandbox ends with it. What does not hold: a proposal can end the
whole sandbox; it is begun anew then, and whoever was under way is asked about again alone.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import queue
import secrets
import threading
import time
import zlib
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import IO, Any

from windtunnel.checks.live import invocation
from windtunnel.checks.records import Records
from windtunnel.core.errors import WindtunnelError
from windtunnel.core.language import Language, Toolchain, usual_env
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Rig, Sink
from windtunnel.core.result import Artifact, Command, ExecutionResult
from windtunnel.core.tool import PLACE, Ask
from windtunnel.core.trial import Check
from windtunnel.engine.ground import Ground
from windtunnel.repair.scripts import RUNNER, scripts

_PROJECT = Language(name="project", suffixes=(".project",), source="main", find=lambda _: None, install="")
_MOST_TOLD = 256 * 1024**2
_MOST_PIECES = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """All that a session is made of."""

    rig: Rig
    ground: Ground
    check: Check
    limits: Limits
    memory_bytes: int
    """For one proposal beyond what the collected tests take."""
    collect_seconds: float
    """Of the processor, for collecting all tests of the project as it is."""
    overlay: Mapping[str, Artifact | None] = field(default_factory=dict)
    env: Mapping[str, str] = field(default_factory=dict)


class Ended(Exception):
    """The sandbox is gone; the message says how."""


class Session:
    """One run of the judge, fed and heard while it runs."""

    def __init__(self, setting: Setting) -> None:
        """It begins at once, in a thread of its own."""
        self._records: queue.Queue[Mapping[str, Any] | None] = queue.Queue()
        self._reader, self._writer = os.pipe()
        self._number = 0
        self._key = secrets.token_hex(16)
        self._lock = threading.Lock()
        self.begun = False
        """Whether it was ever heard of."""
        self.result: ExecutionResult | None = None
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._run, args=(setting,), name="windtunnel-judge", daemon=True)
        self._thread.start()
        try:
            self._put(f"{self._key}\n".encode())
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Nobody orders any more; waits for its end."""
        with self._lock:
            if self._writer >= 0:
                os.close(self._writer)
                self._writer = -1
        self._thread.join()

    def ask(self, order: Mapping[str, object], *, seconds: float, slack: float = 30.0) -> dict[str, Any]:
        """What a copy of the collected process said: its words, and whether it came to the last one; hostile."""
        number = self._next_number()
        self._order({"do": "ask", "id": number, "order": order, "slack": slack})
        pieces: dict[int, str] = {}
        until = time.monotonic() + seconds
        for record in self._told(until):
            at, count, text = record.get("number"), record.get("of"), record.get("text")
            if record.get("ask") != number or not isinstance(at, int) or not isinstance(count, int):
                continue
            pieces[at] = str(text)
            if len(pieces) == count <= _MOST_PIECES:
                return _joined(pieces)
        raise Ended("the tests did not answer in time")

    def wave(self, order: Mapping[str, object], *, seconds: float) -> Generator[Mapping[str, Any], None, None]:
        """Each judged proposal as it comes; closed early, the wave is stopped."""
        number = self._next_number()
        self._order({**order, "do": "wave", "id": number})
        over = False
        try:
            for record in self._told(time.monotonic() + seconds):
                if record.get("wave") != number:
                    continue
                over = record.get("kind") == "over"
                if over:
                    return
                if record.get("kind") == "judged":
                    yield record
            raise Ended("the judge did not come to its end in time")
        finally:
            if not over:
                with contextlib.suppress(Ended):
                    self._order({"do": "stop", "id": number})

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _order(self, order: Mapping[str, object]) -> None:
        self._put(json.dumps(order).encode() + b"\n")

    def _put(self, data: bytes) -> None:
        left = memoryview(data)
        try:
            while left:
                with self._lock:
                    left = left[os.write(self._writer, left[:65536]):]
        except OSError:
            raise Ended(self._end()) from None

    def _told(self, until: float) -> Iterator[Mapping[str, Any]]:
        """Records until a time; raises where no more can come."""
        while (left := until - time.monotonic()) > 0:
            try:
                record = self._records.get(timeout=min(left, 1.0))
            except queue.Empty:
                continue
            if record is None:
                self._records.put(None)
                raise Ended(self._end())
            self.begun = True
            yield record

    def _end(self) -> str:
        self._thread.join()
        if isinstance(self._error, WindtunnelError):
            raise self._error
        if self.result is None:
            return f"the sandbox failed: {self._error}"
        tail = self.result.stderr_bytes[-800:].decode("utf-8", "replace").strip()
        return f"{self.result.reason}, exit code {self.result.exit_code}: {tail}"

    def _run(self, setting: Setting) -> None:
        try:
            with os.fdopen(self._reader, "rb", buffering=0) as stdin:
                records = Records(self._key, on_record=self._records.put)
                job = _job(setting, stdin=stdin, on_stdout=lambda data: _feed(records, data))
                self.result = setting.rig.sandbox.run(job)
        except BaseException as error:  # noqa: BLE001 -- it is raised in the thread that waits for an answer
            self._error = error
        self._records.put(None)


def _feed(records: Records, data: bytes) -> None:
    records.feed(data)


def _job(setting: Setting, *, stdin: IO[bytes], on_stdout: Sink) -> Job:
    check, ground, limits = setting.check, setting.ground, setting.limits
    usual = invocation(check, Ask(), scripts=(RUNNER,), own=scripts())
    options = json.loads(usual.files["windtunnel_options.json"]) | {
        "runner": check.tool, "memory": setting.memory_bytes, "collect_seconds": setting.collect_seconds}
    ready = replace(usual, files={**usual.files, "windtunnel_options.json": json.dumps(options).encode()})
    command = Command(
        argv=ground.resolve(ready.argv, check), files=ready.files, cwd=PLACE, workspace=ground.project,
        env={**usual_env(Toolchain(run=()), cores=limits.cores), **ground.env, **ready.env, **setting.env},
        overlay=setting.overlay)
    return Job(command=command, limits=limits, language=_PROJECT, warm=False, stdin=stdin, on_stdout=on_stdout,
               toolchain=Toolchain(run=command.argv, paths=ground.paths))


def _joined(pieces: Mapping[int, str]) -> dict[str, Any]:
    try:
        data = zlib.decompressobj().decompress(
            base64.b64decode("".join(pieces[number] for number in range(len(pieces)))), _MOST_TOLD)
        told = json.loads(data)
    except (ValueError, KeyError, zlib.error, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}
