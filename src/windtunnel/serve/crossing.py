"""The one place where the asynchronous faces cross over to the synchronous engine.

What holds: each call has a thread of its own, so that none waits while another's slow one runs, until all threads are
taken; nobody holds more than their share of them. What is too much waits in a queue that has an end. A caller who goes
away has what runs for them stopped.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from windtunnel.core.keys import Busy

_Answer = TypeVar("_Answer")
_RETRY_SECONDS = 2.0


class Crossing:
    """Threads for work, a few more for what is quick, and the queue before them."""

    def __init__(self, *, threads: int = 64, each: int = 48, queue: int = 2000) -> None:
        """``each`` is how many threads one user may hold; ``queue`` how many calls may wait in all."""
        self.threads, self.each, self.queue = threads, min(each, threads), queue
        self._work = ThreadPoolExecutor(threads, thread_name_prefix="windtunnel-work")
        self._quick = ThreadPoolExecutor(16, thread_name_prefix="windtunnel-quick")
        self._turns: dict[str, asyncio.Semaphore] = {}
        self._users: dict[str, int] = {}
        self.under_way = 0
        """Calls that run or wait."""

    async def quick(self, act: Callable[[], _Answer]) -> _Answer:
        """What takes no time to speak of, such as the look at a key."""
        return await asyncio.get_running_loop().run_in_executor(self._quick, act)

    async def work(self, user: str, act: Callable[[], _Answer], *, stop: threading.Event) -> _Answer:
        """What runs programs; ``stop`` is set when nobody waits for it any more."""
        if self.under_way >= self.queue + self.threads:
            raise Busy("server: too much is under way", retry_seconds=_RETRY_SECONDS, ours=True)
        turns = self._turns.setdefault(user, asyncio.Semaphore(self.each))
        self._users[user] = self._users.get(user, 0) + 1
        self.under_way += 1
        try:
            async with turns:
                return await asyncio.get_running_loop().run_in_executor(self._work, act)
        except asyncio.CancelledError:
            stop.set()
            raise
        finally:
            self.under_way -= 1
            self._users[user] -= 1
            if not self._users[user]:
                del self._users[user], self._turns[user]

    def close(self) -> None:
        """Begin nothing more; what runs is for its stop event to end."""
        for pool in (self._work, self._quick):
            pool.shutdown(wait=False, cancel_futures=True)
