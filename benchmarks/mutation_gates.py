"""How long the gate takes: one changed function of a real package, and a larger change in a project of many lines."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.ground import Ground, plain_environment
from benchmarks.mutation_packages import GROUP, Project, size_of
from benchmarks.mutation_project import CHANGED_LINES, make_large, widened
from benchmarks.mutation_runs import Ran, environment, run, windtunnel
from benchmarks.rows import Row, Target
from benchmarks.timing import timed
from benchmarks.trial_projects import changed_copy, pytest_of
from windtunnel.core.audit import Auditing
from windtunnel.core.change import ChangeSet
from windtunnel.core.gate import GateResult
from windtunnel.tunnel import Tunnel
from windtunnel.workspace.patch import write_patch

_COLD_SECONDS, _WARM_SECONDS = 2.0, 0.7
_LARGE_SECONDS, _LARGE_TIMES = 20.0, 5


def one_function(ground: Ground, project: Project) -> Iterator[Row]:
    """The package before one of its own fixes, and that fix with its tests."""
    folder, changes = project.before("before")
    count, name = size_of(ground).gates, project.package.name
    argv = _command(ground, folder, changes, test=project.command)
    cold = [run(argv, environment=environment(ground, f"{folder.name}-{number}"), folder=ground.folder)
            for number in range(min(count, 3))]
    again = [run(argv, environment=environment(ground, f"{folder.name}-0"), folder=ground.folder)
             for _ in range(count)]
    yield _row(f"gate of one changed function, cold, {name}", cold, limit=_COLD_SECONDS,
               note=f"a new process, empty state; {_word(cold[-1])}; {_lines(changes, folder)}")
    yield _same_tunnel(ground, project, folder, changes)
    yield _row(f"windtunnel gate once more, {name}", again, limit=_WARM_SECONDS,
               note=f"a new process, state kept; {_word(again[-1])}")


def _same_tunnel(ground: Ground, project: Project, folder: Path, changes: ChangeSet) -> Row:
    found: list[GateResult] = []
    settings = replace(ground.settings(), state_dir=ground.folder / f"state-{folder.name}-tunnel", audit=Auditing.ON)
    with Tunnel(settings) as tunnel:
        def once() -> None:
            found.append(tunnel.gate(folder, changes, test=project.command))
        first = timed(once)
        times = [timed(once) for _ in range(size_of(ground).gates)]
    return Row(group=GROUP, name=f"gate of one changed function, warm, {project.package.name}", unit="s", of="value",
               value=statistics.median(times), p99=max(times), target=Target(limit=_WARM_SECONDS),
               note=f"again in the same Tunnel, whose first took {first:.2f} s; {found[-1].verdict}: "
                    f"{'; '.join(found[-1].reasons)[:120]}")


def _command(ground: Ground, folder: Path, changes: ChangeSet, *, test: str) -> list[str]:
    patch = ground.folder / f"{folder.name}.patch"
    patch.write_bytes(write_patch(changes, project=folder))
    return [*windtunnel(), "gate", str(patch), "--project", str(folder), "--json", "--test", test]


def _row(name: str, ran: Sequence[Ran], *, limit: float, note: str) -> Row:
    times = [one.seconds for one in ran]
    return Row(group=GROUP, name=name, value=statistics.median(times), unit="s", p99=max(times), of="value",
               target=Target(limit=limit), note=note)


def _word(ran: Ran) -> str:
    """What it said, so that a quick answer that judged nothing is not taken for speed."""
    try:
        told = json.loads(ran.said)
    except ValueError as error:
        raise RuntimeError(f"windtunnel gate gave {ran.code}: {ran.wrong}") from error
    return f"{told['verdict']}: {'; '.join(told['reasons'])[:120]}"


def _lines(changes: ChangeSet, folder: Path) -> str:
    patch = write_patch(changes, project=folder).decode().splitlines()
    signs = [line[0] for line in patch if line[:1] in "+-" and not line.startswith(("+++", "---"))]
    return f"{signs.count('+')} lines added, {signs.count('-')} removed, tests among them"


def large_project(ground: Ground) -> Iterator[Row]:
    """Many lines around a change of a few functions."""
    project = make_large(ground.folder / "large", modules=size_of(ground).modules)
    changes = widened()
    bare_argv = pytest_of(changed_copy(project, changes))
    bare = min(run(bare_argv, environment=plain_environment(), folder=ground.folder).seconds for _ in range(2))
    argv = _command(ground, project, changes, test="pytest")
    found = run(argv, environment=environment(ground, "large"), folder=ground.folder)
    lines = sum(len(path.read_text().splitlines()) for path in project.rglob("*.py"))
    limit = max(_LARGE_SECONDS, _LARGE_TIMES * bare)
    yield Row(group=GROUP, name=f"gate of {CHANGED_LINES} changed lines among {lines}", value=found.seconds, unit="s",
              beside="pytest -q, change applied", other=bare, of="value", target=Target(limit=round(limit, 1)),
              note=f"a new process, empty state; {_word(found)}")
