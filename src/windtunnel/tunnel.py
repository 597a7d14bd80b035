"""The composition root: settings become a rig, and the rig the public object."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from windtunnel import config
from windtunnel.core.errors import UsageError
from windtunnel.core.language import Language
from windtunnel.core.ports import Rig
from windtunnel.core.result import Artifact, ExecutionResult, Level
from windtunnel.engine.run import Snippet, prepare, run
from windtunnel.languages import LanguageTable
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.choose import choose

if TYPE_CHECKING:
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
        self.level = _level(level, field="level") if level is not None else None
        self.min_isolation = _level(min_isolation or self.settings.min_isolation, field="min_isolation")
        if pool_size is not None:
            self.settings = replace(self.settings, pool_size=pool_size)
        self.pool_size = self.settings.pool_size
        self.languages = LanguageTable(_own_languages(self.settings))
        self.history = _history(self.settings)
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
                    builds=_LazyBuilds(self.settings.cache_dir / "builds"), allow_network=self.settings.allow_network,
                    default_limits=self.settings.default_limits,
                    private=(str(self.settings.state_dir), str(self.settings.cache_dir)))
            return self._rig

    def run(self, code: str | bytes, language: str = "python", **options: Any) -> ExecutionResult:  # noqa: ANN401 -- Snippet's own
        """Run a program; the options are the fields of ``Snippet``."""
        for name in options.keys() - Snippet.__dataclass_fields__.keys():
            raise UsageError(f"{name}: not an option of a run (see Snippet for those there are)", field=name)
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


def _level(name: object, *, field: str) -> Level:
    try:
        return Level(name)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(map(str, Level))
        raise UsageError(f"{field}: {name!r} is not a level (one of {known})", field=field) from None


def _own_languages(settings: config.Settings) -> list[Language]:
    if not settings.languages:
        return []
    from windtunnel.languages.custom import language_from  # noqa: PLC0415 -- few have any

    return [language_from(given) for given in settings.languages]


def _history(settings: config.Settings) -> SqliteHistory | None:
    if not settings.history:
        return None
    from windtunnel.store.history import SqliteHistory  # noqa: PLC0415 -- where it is switched off, not even loaded

    return SqliteHistory(settings.state_dir / "history.db")


class _LazyBuilds:
    """The build cache, loaded when the first compiled program comes."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._builds: Builds | None = None

    def get(self, key: str) -> Mapping[str, Artifact] | None:
        return self._loaded().get(key)

    def put(self, key: str, products: Mapping[str, Artifact]) -> None:
        self._loaded().put(key, products)

    def _loaded(self) -> Builds:
        if self._builds is None:
            from windtunnel.store.builds import Builds  # noqa: PLC0415

            self._builds = Builds(self._folder)
        return self._builds
