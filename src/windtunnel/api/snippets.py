"""The code sandbox's own door: ``CodeSandbox`` and ``ResourceLimits``."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Self

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits, parse_size
from windtunnel.core.ports import Sink
from windtunnel.core.result import ExecutionResult, Level
from windtunnel.tunnel import Tunnel


@dataclass(frozen=True, slots=True, kw_only=True)
class ResourceLimits:
    """Limits in the words of container engines; each is enforced over the whole process tree."""

    memory_limit: str | int = "512m"
    memory_swap: str | int | None = None
    """Memory and swap together; None means no swap."""
    cpu_quota: int = 100_000
    """Microseconds of processor time in each period."""
    cpu_period: int = 100_000
    cpu_shares: int = 1024
    pids_limit: int = 100
    timeout_seconds: float = 30

    def __post_init__(self) -> None:
        """Refuse what is not a limit, in this class's own words."""
        self.to_limits()

    def to_limits(self, base: Limits | None = None) -> Limits:
        """The engine's one kind of limits."""
        memory = parse_size(self.memory_limit, field="memory_limit")
        total = memory if self.memory_swap is None else parse_size(self.memory_swap, field="memory_swap")
        if total < memory:
            raise UsageError("memory_swap: memory and swap together are less than memory_limit", field="memory_swap")
        for name in ("cpu_quota", "cpu_period"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1000 <= value <= 10**9:  # noqa: PLR2004
                raise UsageError(f"{name}: {value!r} is not a number of microseconds (from 1000 to 1e9)", field=name)
        _check_number("pids_limit", self.pids_limit, least=4)
        _check_number("timeout_seconds", self.timeout_seconds, least=0.01)
        _check_number("cpu_shares", self.cpu_shares, least=2)
        try:
            return replace(
                base or Limits(), wall_seconds=float(self.timeout_seconds), cores=self.cpu_quota / self.cpu_period,
                cpu_weight=self.cpu_shares, memory_bytes=memory, swap_bytes=total - memory, processes=self.pids_limit)
        except UsageError as error:
            own = _OWN_WORDS.get(error.field or "", error.field or "")
            raise UsageError(str(error).replace(error.field or "", own, 1), field=own) from None


_OWN_WORDS = {
    "wall_seconds": "timeout_seconds", "cores": "cpu_quota", "cpu_weight": "cpu_shares", "memory_bytes": "memory_limit",
    "swap_bytes": "memory_swap", "processes": "pids_limit",
}


_RUN_ID = 32
"""Letters of a container's id that name its run in the history."""


def _check_number(name: str, value: object, *, least: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value < least:
        raise UsageError(f"{name}: {value!r} is not a number from {least:g} up", field=name)


class CodeSandbox:
    """Runs snippets in real isolation. Make one and reuse it: the second run finds a sandbox waiting."""

    def __init__(
        self, default_limits: ResourceLimits | None = None, use_docker_api: bool = True, *,  # noqa: FBT001, FBT002 -- the described signature
        level: Level | str | None = None, min_isolation: Level | str | None = None, tunnel: Tunnel | None = None,
    ) -> None:
        """``use_docker_api`` matters at the container level alone: by the engine's socket, or by its command line."""
        self.default_limits = default_limits or ResourceLimits()
        self.use_docker_api = use_docker_api
        self.tunnel = tunnel or Tunnel(level=level, min_isolation=min_isolation, use_docker_api=use_docker_api)

    def execute(  # noqa: PLR0917 -- the described signature
        self, code: str, language: str, limits: ResourceLimits | None = None, network_enabled: bool = False,  # noqa: FBT001, FBT002
        env_vars: Mapping[str, str] | None = None, files: Mapping[str, str | bytes] | None = None,
        read_only: bool = True, *, allow_hosts: Sequence[str] | None = None, stdin: str | bytes = b"",  # noqa: FBT001, FBT002
        on_stdout: Sink | None = None, on_stderr: Sink | None = None,
    ) -> ExecutionResult:
        """Run a snippet to its end; a program that fails is a result, an exception means that it never ran."""
        chosen = (limits or self.default_limits).to_limits(self.tunnel.settings.default_limits)
        return self.tunnel.run(
            code, language, limits=chosen, network_enabled=network_enabled, env_vars=env_vars or {}, files=files or {},
            read_only=read_only, allow_hosts=allow_hosts, stdin=stdin, on_stdout=on_stdout, on_stderr=on_stderr)

    def list_supported_languages(self) -> list[str]:
        """All languages in the table, installed here or not."""
        return [language.name for language in self.tunnel.languages]

    def get_execution_history(self, limit: int | None = None) -> list[Mapping[str, object]]:
        """The latest runs, newest first; they survive a restart."""
        return self.tunnel.recent(limit)

    def get_resource_usage(self, container_id: str) -> Mapping[str, object]:
        """What a run used, by the id on its result, or that of a container that is running."""
        running = getattr(self.tunnel.rig.sandbox, "usage", lambda _: None)(container_id)
        if running is not None:
            return asdict(running)
        history = self.tunnel.history
        record = None if history is None else history.get(container_id) or history.get(container_id[:_RUN_ID])
        if record is None:
            raise UsageError(f"container_id: no run {container_id!r} in the history", field="container_id")
        usage = record["usage"]
        assert isinstance(usage, Mapping)
        return usage

    def close(self) -> None:
        """End all that waits, for good."""
        self.tunnel.close()

    def __enter__(self) -> Self:
        """Itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close."""
        self.close()

    def cleanup_all_containers(self) -> None:
        """End all that waits; the next run starts afresh."""
        self.tunnel.rig.sandbox.close()
