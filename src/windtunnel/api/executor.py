"""The speculative executor's own door: ``SandboxExecutor``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import Self

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.core.errors import IsolationUnavailable, UsageError
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.result import Level
from windtunnel.core.trial import SandboxResult
from windtunnel.tunnel import Tunnel

_OWN_WORDS = {"memory_bytes": "max_memory_mb", "cpu_seconds": "max_cpu_seconds", "disk_bytes": "max_disk_mb"}


class SandboxExecutor:
    """Tries changes before they are applied. Make one and reuse it; safe to use from many threads."""

    def __init__(
        self, isolation_level: str = "process", network_enabled: bool = False, max_memory_mb: int = 512,  # noqa: FBT001, FBT002 -- the described signature
        max_cpu_seconds: float = 60, max_disk_mb: int = 100, *, tunnel: Tunnel | None = None,
        strict_tamper: bool = False, gate: bool = False,
    ) -> None:
        """Refuse now what could not be held later: a level that is not to be had, limits that are none.

        ``strict_tamper`` makes code that may be made for the inputs of the tests not good, where it would be shown.
        ``gate`` asks of every change that is good otherwise whether its tests would have noticed.
        """
        level = _level(isolation_level)
        self.isolation_level, self.network_enabled = isolation_level, network_enabled
        self.strict_tamper, self.gate = strict_tamper, gate
        self.max_memory_mb, self.max_cpu_seconds, self.max_disk_mb = max_memory_mb, max_cpu_seconds, max_disk_mb
        self.tunnel = tunnel or Tunnel(level=level)
        self.limits = self._limits()
        if level not in (Level.PROCESS, Level.RESTRICTED):
            self._reach(level)

    def execute_with_changes(
        self, project_path: str | os.PathLike[str], changes: ChangeSet | Sequence[FileChange],
        test_command: str | None = None, lint_command: str | None = None, build_command: str | None = None,
    ) -> SandboxResult:
        """The verdict on the changes; the project itself is never touched.

        Where no command is given, those of the project are found; where one is, only those given are run.
        """
        given = (test_command, lint_command, build_command)
        own = any(command is not None for command in given)
        test, lint, build = ("" if own and command is None else command for command in given)
        return self.tunnel.try_change(
            project_path, changes, test=test, lint=lint, build=build, limits=self.limits,
            network_enabled=self.network_enabled, strict_tamper=self.strict_tamper, gate=self.gate)

    def _limits(self) -> Limits:
        from windtunnel.engine.premises import trial_limits  # noqa: PLC0415 -- beside the trials it is for

        usual = trial_limits(None, caps=self.tunnel.settings.caps)
        try:
            asked = replace(
                usual, memory_bytes=_bytes("max_memory_mb", self.max_memory_mb), cpu_seconds=self.max_cpu_seconds,
                disk_bytes=_bytes("max_disk_mb", self.max_disk_mb))
            return trial_limits(asked, caps=self.tunnel.settings.caps)
        except UsageError as error:
            own = _OWN_WORDS.get(error.field or "", error.field or "")
            raise UsageError(str(error).replace(error.field or "", own, 1), field=own) from None

    def _reach(self, level: Level) -> None:
        try:
            _ = self.tunnel.rig
        except IsolationUnavailable as refusal:
            raise IsolationUnavailable(
                f'{refusal} (isolation_level="process" needs nothing installed; {level} is refused rather than '
                "replaced by weaker walls)") from None

    def close(self) -> None:
        """End all that waits."""
        self.tunnel.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()


def _level(name: object) -> Level:
    try:
        return Level(name)  # type: ignore[arg-type]
    except ValueError:
        known = ", ".join(map(str, Level))
        said = f"isolation_level: {name!r} is not a level (one of {known})"
        raise UsageError(said, field="isolation_level") from None


def _bytes(name: str, value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise UsageError(f"{name}: {value!r} is not a whole number of mebibytes from 1 up", field=name)
    return value * MIB
