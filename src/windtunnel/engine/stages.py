"""A caller's own stages: shell commands, each in a sandbox of its own, handing files on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Network
from windtunnel.core.result import Artifact, ExecutionResult, Stage

_MOST_STAGES = 16


def check_stages(stages: Sequence[str]) -> tuple[str, ...]:
    """Shell commands, at least one, not too many."""
    if isinstance(stages, str):
        raise UsageError("stages: a list of commands, not one text", field="stages")
    if not 1 <= len(stages) <= _MOST_STAGES:
        raise UsageError(f"stages: from 1 to {_MOST_STAGES}, not {len(stages)}", field="stages")
    for stage in stages:
        if not isinstance(stage, str) or not stage.strip() or "\0" in stage:
            raise UsageError(f"stages: not a command: {stage!r}", field="stages")
    return tuple(stages)


def stage_job(job: Job, stage: str, *, last: bool, handed: dict[str, Artifact], limits: Limits) -> Job:
    """The job of one stage: ``{build}`` is where it leaves files, ``{previous}`` where it finds the last one's."""
    text = stage.replace("{source}", f"/sandbox/{job.language.source}")
    text = text.replace("{build}", "/tmp/build").replace("{previous}", "/sandbox/build")  # noqa: S108
    placed = {f"build/{name}": artifact.data for name, artifact in handed.items()}
    command = replace(
        job.command, argv=("/bin/sh", "-c", text), script=None, build=True,
        files={**job.command.files, **placed}, stdin=job.command.stdin if last else b"",
        executables=frozenset(f"build/{name}" for name, artifact in handed.items() if artifact.executable))
    limits = replace(limits, disk_bytes=limits.disk_bytes + sum(map(len, placed.values())))
    return replace(job, command=command, limits=limits, warm=False, network=job.network if last else Network(),
                   stdin=job.stdin if last else None)


def stage_of(name: str, result: ExecutionResult) -> Stage:
    """How one stage went."""
    return Stage(name=name, exit_code=result.exit_code, reason=result.reason, execution_time=result.execution_time)
