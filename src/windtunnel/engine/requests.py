"""What a policy is asked about each act."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.core.change import ChangeSet
from windtunnel.core.errors import UsageError
from windtunnel.core.policy import Request
from windtunnel.core.ports import Network
from windtunnel.core.result import Level
from windtunnel.engine.run import Snippet

if TYPE_CHECKING:
    from windtunnel.engine.trial import Trial


def of_run(snippet: Snippet, *, level: Level | None) -> Request:
    """A program."""
    return Request(
        verb="run", languages=(str(snippet.language),), level=level, limits=snippet.limits,
        network=Network(host=bool(snippet.network_enabled), allow_hosts=tuple(snippet.allow_hosts or ())),
        commands=tuple(map(str, snippet.stages)))


def of_try(trial: Trial, changes: ChangeSet, *, level: Level | None, verb: str = "try") -> Request:
    """A change on trial."""
    commands = tuple(str(given) for given in (trial.build, trial.lint, trial.test) if given)
    network = Network(host=bool(trial.network_enabled), allow_hosts=tuple(trial.build_hosts))
    return replace(of_change(verb, changes, project=Path(trial.project)), level=level, limits=trial.limits,
                   commands=commands, network=network)


def of_change(verb: str, changes: ChangeSet, *, project: Path) -> Request:
    """A change, by what it touches and how much of it."""
    return Request(verb=verb, paths=tuple(sorted(changes.paths)), change_files=len(changes),
                   change_lines=_lines(changes, project))


def of_paths(verb: str, paths: tuple[str, ...]) -> Request:
    """An act on files by their names alone."""
    return Request(verb=verb, paths=paths, change_files=len(paths))


def _lines(changes: ChangeSet, project: Path) -> int:
    """Added and removed together; of a change that does not fit its project, the lines that it would leave."""
    from windtunnel.workspace.patch import write_patch  # noqa: PLC0415 -- where there is no policy, nobody asks

    try:
        patch = write_patch(changes, project=project)
    except (UsageError, OSError):
        return sum(change.data.count(b"\n") for change in changes)
    marks = sum(line[:1] in (b"+", b"-") for line in patch.split(b"\n"))
    heads = sum(line.startswith((b"+++ ", b"--- ")) for line in patch.split(b"\n"))
    return marks - heads
