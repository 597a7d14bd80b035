"""What all faces of a server share: who may come in, whose view of the tunnel they get, and where answers are kept."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from windtunnel.core.errors import NotFound, SandboxFailure
from windtunnel.core.keys import ALL, Busy, Caller, KeyRefused
from windtunnel.serve.limits import Buckets, Sessions
from windtunnel.serve.prometheus import Collector
from windtunnel.store.database import unless_busy
from windtunnel.store.jobs import JobShelf
from windtunnel.store.keys import REFUSAL, Keys
from windtunnel.store.papers import Papers
from windtunnel.store.runs import NAME as RUNS
from windtunnel.store.runs import RunStore
from windtunnel.tools.calling import call
from windtunnel.tools.places import Places
from windtunnel.tools.row import Context, Tool
from windtunnel.tools.table import TABLE
from windtunnel.tunnel import Tunnel

_FLUSH_SECONDS = 5.0
Tell = Callable[[str, float | None], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How much callers may ask for."""

    rate: float = 200.0
    """Calls a second of one key, on average."""
    burst: float = 1000.0
    session_hours: float = 24.0
    most_sessions: int = 10_000
    per_day: int | None = None
    """Calls of one key in a day of UTC, where the key itself says nothing."""
    hosts: tuple[str, ...] = ()
    """What commands of workspaces and plans may reach beside what a request names."""
    tasks: int | None = None
    """Tasks of one plan at once, where a request says nothing."""


class Desk:
    """One server's state; safe to use from many threads."""

    def __init__(
        self, tunnel: Tunnel, *, places: Places | None = None, terms: Terms | None = None,
        tools: Mapping[str, Tool] = TABLE,
    ) -> None:
        """Jobs of servers that are gone are said to be lost."""
        settings = tunnel.settings
        self.places = replace(places or Places(), private=(settings.state_dir, settings.cache_dir))
        self.tunnel, self.terms, self.tools = tunnel, terms or Terms(), tools
        folder = tunnel.settings.state_dir
        self.keys, self.papers = Keys(folder / "keys.db"), Papers(folder / "papers.db")
        self.jobs, self.runs = JobShelf(folder / "jobs.db"), RunStore(folder / RUNS)
        self.figures = Collector(tunnel)
        self.jobs.find_lost()
        self._buckets = Buckets(rate=self.terms.rate, burst=self.terms.burst)
        self.sessions = Sessions(hours=self.terms.session_hours, most=self.terms.most_sessions)
        self.serving: Callable[[], dict[str, Any]] = dict
        self._done = threading.Event()
        self._writer = threading.Thread(target=self._write_uses, name="windtunnel-keys", daemon=True)
        self._writer.start()

    def local(self) -> Caller:
        """Whoever started the server, where there are no keys."""
        return Caller(user=self.tunnel.acts_for, roles=("admin",), permissions=frozenset({ALL}))

    def admit(self, key: str | None, *, connection: str = "") -> Caller:
        """Who comes with this key; where nobody ever made one, whoever started the server. All refusals are alike."""
        if not self.keys.any():
            caller = self.local()
        elif not key:
            raise KeyRefused(REFUSAL, field="key")
        else:
            caller = self.keys.check(key)
        self._buckets.take(caller.key or caller.user)
        most = caller.per_day or self.terms.per_day
        if most is not None and caller.key and self.keys.calls_today(caller.key) > most:
            raise Busy(f"quota: {most} calls a day", retry_seconds=_until_midnight())
        return replace(caller, session=self.sessions.enter(caller.user, connection))

    def admit_at_once(self, key: str | None) -> Caller | None:
        """The same where that takes no time: none while the disk or another thread would have to be waited for."""
        with unless_busy() as free:
            return self.admit(key) if free and self.keys.database.is_open else None

    def tool(self, name: str) -> Tool:
        """The row of this name."""
        found = self.tools.get(name)
        if found is None:
            raise NotFound(f"tool: there is none named {name[:60]!r} (GET /v1/tools lists them)", field="tool")
        return found

    def context(self, caller: Caller, *, stop: Callable[[], bool] | None = None, tell: Tell | None = None) -> Context:
        """What a tool works with when this caller uses it."""
        view = self.tunnel.acting(caller.user, caller.roles, session=caller.session, stop=stop)
        return Context(tunnel=view, caller=caller, places=self.places, papers=self.papers,
                       tell=tell or (lambda _, __: None), stop=stop or (lambda: False), serving=self.serving,
                       hosts=self.terms.hosts, tasks=self.terms.tasks)

    def call(
        self, caller: Caller, name: str, arguments: Mapping[str, Any], *, stop: Callable[[], bool] | None = None,
        tell: Tell | None = None,
    ) -> dict[str, Any]:
        """The answer of one tool."""
        return call(self.tool(name), self.context(caller, stop=stop, tell=tell), arguments)

    def close(self) -> None:
        """Write down what is left, and let go of the files; the tunnel stays open."""
        self._done.set()
        self._writer.join(timeout=10)
        for store in (self.keys, self.papers, self.jobs, self.runs, self.figures):
            store.close()

    def _write_uses(self) -> None:
        while not self._done.wait(_FLUSH_SECONDS):
            with contextlib.suppress(SandboxFailure):  # a full disk must not end the counting of later days
                self.keys.flush()


def _until_midnight() -> float:
    now = datetime.now(UTC)
    return ((now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0) - now).total_seconds()
