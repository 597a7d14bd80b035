"""Where the workload of a project runs: in a sandbox of its own each time, over the project as it is or with edits.

What holds: the project on disk is only read; what a run writes is thrown away with its sandbox. Databases that the
environment usually names are temporary ones inside it, whatever the caller's environment says.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from windtunnel.core.errors import UsageError
from windtunnel.core.language import Language, Toolchain, usual_env
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Rig
from windtunnel.core.result import Artifact, Command, ExecutionResult
from windtunnel.core.tool import OWN, PLACE, REPORT, Invocation
from windtunnel.core.trial import Check, Checks, Kind
from windtunnel.engine.ground import Ground, make_ground
from windtunnel.speedups.scripts import script

DATABASES: Mapping[str, str] = {
    "DATABASE_URL": "sqlite:////tmp/windtunnel-database.db", "BOT_DB_PATH": "/tmp/windtunnel-bot.db",  # noqa: S108
    "BOT_PERFORMANCE_DB": "/tmp/windtunnel-performance.db", "MAINTENANCE_DB": "/tmp/windtunnel-maintenance.db"}  # noqa: S108
"""No run of the loop is ever given a production database."""
_PROJECT = Language(name="project", suffixes=(".project",), source="main", find=lambda _: None, install="")
_REPORT_FILE = "report.json"
_MOST_REPORT = 8 * 1024**2


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """One workload of one project."""

    rig: Rig
    ground: Ground
    workload: Check
    limits: Limits
    env: Mapping[str, str] = field(default_factory=dict)

    def told(
        self, name: str, arguments: Sequence[str], *, texts: Mapping[str, str],
        files: Mapping[str, bytes] | None = None, env: Mapping[str, str] | None = None,
    ) -> Any:  # noqa: ANN401 -- JSON of a hostile program, for the caller to check
        """What one of our scripts reports from inside, run by the project's Python; None where it reports nothing."""
        argv = ("python", f"{OWN}/{name}", f"{REPORT}/{_REPORT_FILE}", *arguments)
        result = self.run(Invocation(argv=argv, files={name: script(name), **(files or {})}), texts=texts, env=env)
        report = result.artifacts.get(_REPORT_FILE)
        return None if report is None else read(report.data)

    def run(
        self, invocation: Invocation, *, texts: Mapping[str, str], env: Mapping[str, str] | None = None,
    ) -> ExecutionResult:
        """Anything, over the project with these files replaced."""
        return self.rig.sandbox.run(self.job(invocation, texts=texts, env=env))

    def job(
        self, invocation: Invocation, *, texts: Mapping[str, str], env: Mapping[str, str] | None = None,
    ) -> Job:
        """The same, not run yet."""
        overlay = {path: Artifact(data=text.encode("utf-8", "surrogateescape")) for path, text in texts.items()}
        command = Command(
            argv=self.ground.resolve(invocation.argv, self.workload), files=invocation.files, cwd=PLACE,
            env={**usual_env(Toolchain(run=()), cores=self.limits.cores), **self.ground.env, **self.env,
                 **(env or {}), **DATABASES},
            collect=f"{REPORT.removeprefix('/tmp/')}/", workspace=self.ground.project, overlay=overlay)  # noqa: S108
        return Job(command=command, limits=self.limits, language=_PROJECT, warm=False,
                   toolchain=Toolchain(run=command.argv, paths=self.ground.paths))

    @property
    def program(self) -> tuple[str, ...]:
        """The workload as it is called inside."""
        return self.ground.resolve(self.workload.argv, self.workload)

    @property
    def python(self) -> tuple[str, ...] | None:
        """What the workload gives to Python, a file or ``-m`` and a module first; None where it is no such command."""
        first, *rest = self.workload.argv
        return tuple(rest) if first in {"python", "python3"} and rest and (
            rest[0].endswith(".py") or rest[:1] == ["-m"]) else None


def stand_of(
    rig: Rig, project: str, *, workload: tuple[str, ...], limits: Limits, env: Mapping[str, str] | None = None,
) -> Stand:
    """The stand of a command, as a person would type it in the project's folder."""
    if not workload:
        raise UsageError("workload: an empty command (name one, such as 'python workload.py')", field="workload")
    check = Check(kind=Kind.TEST, tool="command", argv=workload)
    return Stand(rig=rig, ground=make_ground(rig, project, Checks(checks=(check,))), workload=check, limits=limits,
                 env=dict(env or {}))


def read(data: bytes) -> Any:  # noqa: ANN401 -- the same
    """JSON of bounded size; None for anything else."""
    if not data or len(data) > _MOST_REPORT:
        return None
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None
