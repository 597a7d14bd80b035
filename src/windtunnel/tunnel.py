"""The composition root: settings become a rig, and the rig the public object."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

from windtunnel import config
from windtunnel.core.ports import Rig
from windtunnel.core.result import ExecutionResult, Level
from windtunnel.engine.run import Snippet, prepare, run
from windtunnel.languages import LanguageTable
from windtunnel.languages.custom import language_from
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.choose import choose
from windtunnel.store.builds import Builds
from windtunnel.store.history import SqliteHistory


class Tunnel:
    """Runs programs that nobody trusts yet. Safe to use from many threads; make one and keep it."""

    def __init__(
        self, settings: config.Settings | None = None, *, level: Level | str | None = None,
        min_isolation: Level | str | None = None, pool_size: int | None = None,
    ) -> None:
        """Nothing is started before the first run."""
        self.settings = settings or config.load()
        self.level = Level(level) if level is not None else None
        self.min_isolation = Level(min_isolation) if min_isolation is not None else self.settings.min_isolation
        self.pool_size = self.settings.pool_size if pool_size is None else pool_size
        self.languages = LanguageTable(language_from(given) for given in self.settings.languages)
        self.history = SqliteHistory(self.settings.state_dir / "history.db") if self.settings.history else None
        self._rig: Rig | None = None
        self._lock = threading.Lock()

    @property
    def rig(self) -> Rig:
        """One of each part; made on first use."""
        with self._lock:
            if self._rig is None:
                sandbox = choose(level=self.level, min_isolation=self.min_isolation, pool_size=self.pool_size)
                self._rig = Rig(
                    sandbox=sandbox, languages=self.languages, history=self.history, caps=self.settings.caps,
                    builds=Builds(Path(self.settings.cache_dir) / "builds"), allow_network=self.settings.allow_network,
                    default_limits=self.settings.default_limits)
            return self._rig

    def run(self, code: str | bytes, language: str = "python", **options: Any) -> ExecutionResult:  # noqa: ANN401 -- Snippet's own
        """Run a program; the options are the fields of ``Snippet``."""
        return run(self.rig, Snippet(code=code, language=language, **options))

    def warm_up(self, language: str = "python") -> None:
        """Have sandboxes waiting before the first run."""
        sandbox = self.rig.sandbox
        if isinstance(sandbox, Bubblewrap) and sandbox.pool_size:
            sandbox.warm_up(prepare(self.rig, language))

    def recent(self, limit: int | None = None) -> list[Mapping[str, object]]:
        """The latest runs, newest first."""
        return self.history.recent(limit) if self.history is not None else []

    def close(self) -> None:
        """End all that waits."""
        if self._rig is not None:
            self._rig.sandbox.close()
        if self.history is not None:
            self.history.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

