"""A command run over a kept workspace: which programs it is shown, and what becomes of what it leaves."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeAlias

from windtunnel.core.errors import UsageError
from windtunnel.core.language import Language, Toolchain, usual_env
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Job, Network, Rig
from windtunnel.core.result import Command, ExecutionResult
from windtunnel.core.tool import PLACE
from windtunnel.core.trial import Check, Checks, Kind
from windtunnel.engine.check import check_path, check_variables
from windtunnel.engine.ground import make_ground
from windtunnel.engine.premises import trial_limits
from windtunnel.engine.products import left_behind
from windtunnel.workspace.kept import laying
from windtunnel.workspace.kept.home import Home

Keep: TypeAlias = Literal["always", "success", "never"]
Heard: TypeAlias = Callable[[str, bytes], None]
"""Hears output as it comes: ``stdout`` or ``stderr``, and the bytes."""
_PROJECT = Language(name="project", suffixes=(".project",), source="main", find=lambda _: None, install="")
_MANIFESTS = {"go.mod": "go", "Cargo.toml": "cargo", "package.json": "npm", "pom.xml": "maven",
              "build.gradle": "gradle", "build.gradle.kts": "gradle"}
_SHELL = "/bin/sh"
_MOST_COMMAND = 64 * 1024
NOT_KEPT = "not kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """One command, as a caller gives it."""

    command: str | Sequence[str]
    """A line for the shell, or a program with its arguments."""
    folder: str = ""
    """Where it starts, below the workspace."""
    env: Mapping[str, str] = field(default_factory=dict)
    limits: Limits | None = None
    timeout: float | None = None
    """Wall seconds; takes the place of the limits' own."""
    allow_hosts: Sequence[str] = ()
    network: bool = False
    keep: Keep = "always"
    """When its changes become the workspace's; with ``success`` only after exit code 0, so a retry starts clean."""
    stdin: bytes = b""
    on_output: Heard | None = None


def check_execution(asked: Execution) -> tuple[str, ...]:
    """What is started: the shell with a line, or with a program that it finds; what is none is refused."""
    if asked.keep not in ("always", "success", "never"):
        raise UsageError(f"keep: {asked.keep!r:.40} is not always, success or never", field="keep")
    if asked.folder:
        check_path(asked.folder, field="folder")
    check_variables(asked.env, field="env")
    given = asked.command
    words = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Sequence) else ()
    if not words or not all(isinstance(word, str) and "\0" not in word for word in words) or not words[0].strip():
        raise UsageError(f"command: not a command: {given!r:.80}", field="command")
    if sum(map(len, words)) > _MOST_COMMAND:
        raise UsageError(f"command: longer than {_MOST_COMMAND} letters (write a script into the workspace)",
                         field="command")
    return (_SHELL, "-c", given) if isinstance(given, str) else (_SHELL, "-c", 'exec "$@"', "sh", *words)


def told_of(asked: Execution) -> str:
    """The command as a person reads it."""
    return asked.command if isinstance(asked.command, str) else shlex.join(asked.command)


def execute(rig: Rig, home: Home, asked: Execution) -> ExecutionResult:
    """Run it to its end, then bring what it left into the workspace, or not, as was asked."""
    argv = check_execution(asked)
    network = Network(host=asked.network, allow_hosts=tuple(asked.allow_hosts))
    if (network.host or network.allow_hosts) and not rig.allow_network:
        raise UsageError("network: not allowed here (the operator's configuration says allow_network = false)",
                         field="network")
    limits = trial_limits(asked.limits, caps=replace(rig.caps, wall_seconds=rig.trial_seconds))
    if asked.timeout is not None:
        limits = trial_limits(replace(limits, wall_seconds=asked.timeout),
                              caps=replace(rig.caps, wall_seconds=rig.trial_seconds))
    if rig.history is not None:
        rig.history.ready()
    with home.receiving() as incoming:
        with home.running() as tree:
            result = rig.sandbox.run(_job(rig, tree, asked, argv=argv, limits=limits, network=network,
                                          kept=laying.contents(incoming)))
        if rig.history is not None:
            rig.history.add(replace(result, layer={}), limits=limits)
        if result.layer and (asked.keep == "always" or (asked.keep == "success" and result.success)):
            home.settle(incoming, result.layer)
            result = replace(result, enforced={**result.enforced, **_lost(result)})
    return replace(result, layer={})


def _lost(result: ExecutionResult) -> dict[str, str]:
    lost = left_behind(result)
    return {NOT_KEPT: "; ".join(lost)} if lost else {}


def _job(
    rig: Rig, tree: Path, asked: Execution, *, argv: tuple[str, ...], limits: Limits, network: Network, kept: Path,
) -> Job:
    ground = make_ground(rig, str(tree), _checks(tree, asked.command))
    folder = f"{PLACE}/{asked.folder}" if asked.folder else PLACE
    env = {**usual_env(Toolchain(run=()), cores=limits.cores), **ground.env, **asked.env}
    command = Command(argv=argv, env=env, stdin=asked.stdin, cwd=folder, workspace=str(tree), keep_layer=True,
                      keep_in=str(kept))
    heard = asked.on_output
    return Job(
        command=command, limits=limits, language=_PROJECT, network=network, warm=False,
        toolchain=Toolchain(run=argv, paths=ground.paths),
        on_stdout=None if heard is None else lambda data: heard("stdout", data),
        on_stderr=None if heard is None else lambda data: heard("stderr", data))


def _checks(tree: Path, command: str | Sequence[str]) -> Checks:
    """The programs that a command may start, by its words and by the manifests that lie there."""
    try:
        words = shlex.split(command, comments=True) if isinstance(command, str) else list(command)
    except ValueError:
        words = str(command).split()
    words += [tool for name, tool in _MANIFESTS.items() if (tree / name).is_file()]
    return Checks(checks=(Check(kind=Kind.TEST, tool="command", argv=tuple(words) or ("sh",)),))
