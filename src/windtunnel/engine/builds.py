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
        self.asked = self.hits = 0
        """How often products were asked for in this process, and how often they were there."""

    def get(self, key: str) -> Mapping[str, Artifact] | None:
        """The products, or None."""
        found = self._loaded().get(key)
        self.asked, self.hits = self.asked + 1, self.hits + (found is not None)
        return found

    def put(self, key: str, products: Mapping[str, Artifact]) -> None:
        """Keep them."""
        self._loaded().put(key, products)

    def _loaded(self) -> Builds:
        if self._builds is None:
            from windtunnel.store.builds import Builds  # noqa: PLC0415

            self._builds = Builds(self._folder)
        return self._builds
