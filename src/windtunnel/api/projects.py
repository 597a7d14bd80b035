"""The doors of a system that works on whole projects: the analyzer, and the cache that it keeps."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from windtunnel import config
from windtunnel.config import Settings
from windtunnel.core.analysis import Analysis
from windtunnel.core.errors import UsageError
from windtunnel.engine.analyze_act import keeping_of, statistics
from windtunnel.tunnel import Tunnel


@runtime_checkable
class HasPath(Protocol):
    """A workspace, or whatever else knows where its files are."""

    @property
    def path(self) -> str | os.PathLike[str]:
        """The folder."""
        ...


class CodebaseAnalyzer:
    """Tells what a project is, without running anything of it."""

    def __init__(self, tunnel: Tunnel | None = None) -> None:
        """``tunnel`` is whose settings, policy and record are used; without one, this user's."""
        self._tunnel = tunnel

    def analyze_codebase(
        self, workspace: str | os.PathLike[str] | HasPath, *, advisories: str | os.PathLike[str] | None = None,
        fresh: bool = False, thorough: bool = False, tell: Callable[[str], None] | None = None,
    ) -> Analysis:
        """What lies at a path, or in a workspace."""
        if self._tunnel is None:
            self._tunnel = Tunnel(pool_size=0)
        return self._tunnel.analyze(
            _folder(workspace), advisories=advisories, fresh=fresh, thorough=thorough, tell=tell
        )


class CacheManager:
    """The cache of analyses, by which an unchanged project is not looked at twice."""

    def __init__(self, settings: Settings | None = None) -> None:
        """Of these settings; without them, this user's."""
        self._settings = settings or config.load()

    def get_cache_stats(self) -> dict[str, Any]:
        """How it has done since it was begun; the rate is from 0 to 1."""
        told = statistics(self._settings)
        return {
            "hit_rate": told.hit_rate,
            "total_requests": told.requests,
            "hits": told.hits,
            "misses": told.misses,
            "entries": told.entries,
            "size_bytes": told.bytes,
            "max_size_bytes": self._settings.analysis_cache_bytes,
            "ttl_hours": self._settings.analysis_hours,
        }

    def clear(self) -> None:
        """Forget all analyses."""
        store = keeping_of(self._settings).store()
        if store is not None:
            store.clear()


def _folder(workspace: object) -> Path:
    if isinstance(workspace, str | os.PathLike):
        return Path(workspace)
    found = getattr(workspace, "path", None)
    if not isinstance(found, str | os.PathLike):
        raise UsageError(
            f"workspace: neither a path nor anything with one: {type(workspace).__name__}", field="workspace"
        )
    return Path(found)
