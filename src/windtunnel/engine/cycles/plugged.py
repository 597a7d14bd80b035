"""Metrics of a user's plugins in a run of cycles: asked for each scenario of each cycle, and what they did wrong."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from windtunnel.metrics.table import METRICS
from windtunnel.returns.plugin_process import PluginProcess
from windtunnel.returns.plugins import SECONDS

_OWN = METRICS.keys() | {"roi"}
"""Names that no plugin may give another meaning: gains are made of them."""


class Plugged:
    """The plugins of one run; a bad one is told of in notes, and hurts nobody else."""

    def __init__(self, files: Iterable[Path], *, seconds: float = SECONDS) -> None:
        """Nothing is loaded until it is asked."""
        self._plugins = [PluginProcess(file, seconds=seconds) for file in files]
        self._told: set[str] = set()
        self._new: list[str] = []

    def more(self, before: float, after: float, used: Mapping[str, float]) -> dict[str, float]:
        """What they add to a cycle that took the value from ``before`` to ``after``."""
        found: dict[str, float] = {}
        for plugin in self._plugins:
            metrics, problems = plugin.collect(before, after, used)
            for name, value in metrics.items():
                if name in _OWN or name in found:
                    problems = (*problems, f"{plugin.file.stem}: {name}: left out, for there is a metric of that name")
                else:
                    found[name] = value
            self._note(problems)
        return found

    def notes(self) -> tuple[str, ...]:
        """What went wrong since this was asked last; each thing once in a run."""
        found, self._new = tuple(self._new), []
        return found

    def close(self) -> None:
        """End their processes."""
        for plugin in self._plugins:
            plugin.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def _note(self, problems: Iterable[str]) -> None:
        for problem in problems:
            line = f"metrics plugin {problem}"
            if line not in self._told:
                self._told.add(line)
                self._new.append(line)
