"""Where runs of cycles are begun, watched over, and done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from windtunnel.core.ports import Rig
from windtunnel.core.result import Level
from windtunnel.engine.acts import Acts
from windtunnel.engine.cycles.act import CyclesResult, begin, go_on
from windtunnel.engine.given import Project
from windtunnel.engine.recovery.guard import Guard
from windtunnel.engine.recovery.journal import head_of
from windtunnel.store.runs import NAME, RunStore


class CycleDesk:
    """Of whoever the acts are."""

    def __init__(self, acts: Acts, rig: Callable[[], Rig], *, level: Level | None) -> None:
        """Nothing is begun yet."""
        self._acts, self._rig, self._level = acts, rig, level

    def run(self, project: Project, **options: Any) -> CyclesResult:  # noqa: ANN401 -- the fields of Cycles
        """Begin a run and do it here; the options are the fields of ``Cycles``."""
        tell = options.pop("tell", None)
        return self.go_on(self.begin(project, **options), tell=tell)

    def begin(self, project: Project, **options: Any) -> str:  # noqa: ANN401 -- the fields of Cycles
        """Make the journal of a new run; its folder."""
        return begin(project, options=options, state_dir=self._acts.settings.state_dir, owner=self._acts.actor)

    def go_on(
        self, folder: str, *, max_iterations: int | None = None,
        tell: Callable[[str, float | None], None] | None = None,
    ) -> CyclesResult:
        """Do what is left of a run, up to so many cycles in all where that is given."""
        return go_on(self._acts, self._rig, folder, level=self._level, max_iterations=max_iterations, tell=tell)

    def watch(self, folder: str, argv: Sequence[str], *, tell: Callable[[str], None] = lambda _: None) -> int:
        """Have another process do it, and begin it again when something kills it; its exit code."""
        runs = RunStore(self._acts.settings.state_dir / NAME)
        try:
            return Guard(argv, run=head_of(Path(folder)).id, folder=Path(folder), runs=runs, tell=tell).run().exit_code
        finally:
            runs.close()
