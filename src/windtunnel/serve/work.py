"""Long work: begun with a call, watched by its owner, cancelled by them, and told of when it has ended."""

from __future__ import annotations

import asyncio
import sys
import threading
import traceback
from collections import deque
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from windtunnel.core.errors import Cancelled, WindtunnelError
from windtunnel.core.keys import Busy, Caller
from windtunnel.core.result import Reason
from windtunnel.serve.crossing import Crossing
from windtunnel.serve.desk import Desk
from windtunnel.store.jobs import JobRow, JobState
from windtunnel.tools.calling import failure_of

_MOST_EVENTS = 2000
_MOST_EACH = 100
"""Jobs that one user may have under way."""
_OWN_FAULT = {"code": "error", "message": "our side failed", "next": "Call again; tell the operator if it stays."}


@dataclass(slots=True, kw_only=True)
class Live:
    """A job of this process while it is at work."""

    row: JobRow
    stop: threading.Event = field(default_factory=threading.Event)
    events: deque[tuple[int, str, float | None]] = field(default_factory=lambda: deque(maxlen=_MOST_EVENTS))
    """Number, words, share done; the oldest go first."""
    count: int = 0
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    task: asyncio.Task[None] | None = None

    def add(self, words: str, done: float | None) -> None:
        """Something to tell."""
        self.count += 1
        self.events.append((self.count, words[:500], done))
        self.changed.set()


class Work:
    """The jobs of one server."""

    def __init__(self, desk: Desk, crossing: Crossing) -> None:
        """None yet."""
        self.desk, self.crossing = desk, crossing
        self.live: dict[str, Live] = {}

    async def begin(self, caller: Caller, tool: str, arguments: Mapping[str, Any]) -> JobRow:
        """Begin a job; it goes on when nobody is connected any more."""
        self.desk.tool(tool)
        if sum(one.row.owner == caller.user for one in self.live.values()) >= _MOST_EACH:
            raise Busy(f"jobs: {_MOST_EACH} of yours are under way", retry_seconds=10.0)
        row = await self.crossing.quick(lambda: self.desk.jobs.begin(caller.user, tool=tool))
        live = self.live[row.id] = Live(row=row)
        live.task = asyncio.create_task(self._run(live, caller, arguments))
        live.task.add_done_callback(_say_fault)
        return row

    async def _run(self, live: Live, caller: Caller, arguments: Mapping[str, Any]) -> None:
        loop = asyncio.get_running_loop()

        def tell(words: str, done: float | None) -> None:
            loop.call_soon_threadsafe(live.add, words, done)

        state: JobState
        try:
            answer: Any = await self.crossing.work(
                caller.user, lambda: self.desk.call(caller, live.row.tool, arguments, stop=live.stop.is_set, tell=tell),
                stop=live.stop)
            state = "completed"
            if live.stop.is_set() and answer.get("ended") == str(Reason.CANCELLED):
                state = "cancelled"
        except WindtunnelError as error:
            state, answer = "cancelled" if isinstance(error, Cancelled) else "failed", failure_of(error).plain()
        except Exception:
            state, answer = "failed", _OWN_FAULT
            raise
        finally:
            await asyncio.shield(self._end(live, state, answer))

    async def _end(self, live: Live, state: JobState, answer: Any) -> None:  # noqa: ANN401 -- any JSON
        if live.stop.is_set() and state == "failed":
            state = "cancelled"
        await self.crossing.quick(lambda: self.desk.jobs.end(live.row.id, state, answer=answer))
        self.live.pop(live.row.id, None)
        live.changed.set()

    async def get(self, caller: Caller, name: str) -> JobRow:
        """One of theirs."""
        return await self.crossing.quick(lambda: self.desk.jobs.get(caller.user, name))

    async def cancel(self, caller: Caller, name: str) -> JobRow:
        """End one of theirs; what runs for it is stopped."""
        row = await self.get(caller, name)
        live = self.live.get(name)
        if live is None or row.ended:
            return row
        live.stop.set()
        live.add("cancelling", None)
        return row

    async def wait(self, caller: Caller, name: str, *, seconds: float) -> JobRow:
        """Until it has ended, or so long."""
        live = self.live.get(name)
        if live is not None and live.row.owner == caller.user and live.task is not None:
            await asyncio.wait([live.task], timeout=seconds)
        return await self.get(caller, name)

    async def events(
        self, caller: Caller, name: str, *, after: int = 0,
    ) -> AsyncIterator[tuple[int, str, float | None]]:
        """What is told of it from then on, up to its end."""
        await self.get(caller, name)
        live = self.live.get(name)
        while live is not None:
            live.changed.clear()
            for number, words, done in [one for one in live.events if one[0] > after]:
                after = number
                yield number, words, done
            if name not in self.live:
                return
            await live.changed.wait()

    def progress(self, name: str) -> tuple[str, float | None] | None:
        """The last that was told of it."""
        live = self.live.get(name)
        return live.events[-1][1:] if live is not None and live.events else None

    async def close(self) -> None:
        """Cancel all that is at work, and wait a little for it."""
        for live in list(self.live.values()):
            live.stop.set()
        tasks = [live.task for live in self.live.values() if live.task is not None]
        if tasks:
            await asyncio.wait(tasks, timeout=10)


def _say_fault(task: asyncio.Task[None]) -> None:
    """What broke in us is for the operator to read; the caller was told that something did."""
    error = None if task.cancelled() else task.exception()
    if error is not None:
        traceback.print_exception(error, file=sys.stderr)
