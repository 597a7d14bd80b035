"""The build cache as a rig carries it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.core.result import Artifact

if TYPE_CHECKING:
    from windtunnel.store.builds import Builds


class LazyBuilds:
    """The build cache, loaded when the first compiled program comes."""

    def __init__(self, folder: Path) -> None:
        """Remember where; nothing is made yet."""
        self._folder = folder
        self._builds: Builds | None = None

    def get(self, key: str) -> Mapping[str, Artifact] | None:
        """The products, or None."""
        return self._loaded().get(key)

    def put(self, key: str, products: Mapping[str, Artifact]) -> None:
        """Keep them."""
        self._loaded().put(key, products)

    def _loaded(self) -> Builds:
        if self._builds is None:
            from windtunnel.store.builds import Builds  # noqa: PLC0415

            self._builds = Builds(self._folder)
        return self._builds
