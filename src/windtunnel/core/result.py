"""One program to run, and how it ended."""

from __future__ import annotations

import stat
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import UTC, datetime
from enum import StrEnum

from windtunnel.core.effects import Effects
from windtunnel.core.limits import Limits
from windtunnel.core.randomness import fresh_id

TIMEOUT_EXIT = 124


class Level(StrEnum):
    """How strong the walls are, weakest first."""

    RESTRICTED = "restricted"
    """Landlock, system-call filter and resource limits; shares the host's file tree and process table."""
    PROCESS = "process"
    """All namespaces, system-call filter, control groups, minimal root."""
    CONTAINER = "container"
    VM = "vm"

    def at_least(self, other: Level) -> bool:
        """Whether these walls are as strong as the other's."""
        order = list(Level)
        return order.index(self) >= order.index(other)


class Reason(StrEnum):
    """Why a run ended, as the supervisor saw it; never taken from the program's exit code."""

    EXITED = "exited"
    TIMEOUT = "timeout"
    CPU_TIME = "cpu_time"
    OUT_OF_MEMORY = "out_of_memory"
    OUT_OF_DISK = "out_of_disk"
    TOO_MANY_PROCESSES = "too_many_processes"
    KILLED = "killed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What the run used, over its whole process tree; None where nothing could measure it."""

    cpu_seconds: float | None = None
    memory_peak_bytes: int | None = None
    processes_peak: int | None = None
    disk_bytes: int | None = None
    """Bytes the run left in its private file system when it ended."""
    read_bytes: int | None = None
    """Bytes that came in through read calls, from files, pipes and sockets alike."""
    written_bytes: int | None = None
    """Bytes that went out through write calls."""

    def joined(self, *others: Usage) -> Usage:
        """Of several runs: times and traffic added up, the highest of the peaks."""
        made = {}
        for name in (one.name for one in fields(Usage)):
            known = [getattr(usage, name) for usage in (self, *others) if getattr(usage, name) is not None]
            made[name] = (max if "peak" in name else sum)(known) if known else None
        return Usage(**made)


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """One program to run inside a sandbox, as the sandbox sees it."""

    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Placed below /sandbox before the program starts; relative, checked paths."""
    executables: frozenset[str] = frozenset()
    """Those of the files that may be executed."""
    script: str | None = None
    """For an interpreter that is already loaded: the source to run in it, with ``argv[1:]`` as its arguments."""
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    cwd: str = "/sandbox"
    build: bool = False
    """Whether /tmp/build is made beforehand and read back when all processes are dead."""
    collect: str | None = None
    """A further file below /tmp to read back; with a slash at its end, a folder that is made beforehand."""
    workspace: str | None = None
    """A host folder shown at /workspace, copy-on-write: the program may change it, the host's stays as it is.

    Inside it can also be reached by its path on the host, which virtual environments and caches remember.
    """
    overlay: Mapping[str, Artifact | None] = field(default_factory=dict)
    """Laid over the workspace before the program starts, by relative path; None deletes."""
    keep_layer: bool = False
    """Whether what the run left in its workspace is read back into ``ExecutionResult.layer``."""
    keep_in: str | None = None
    """A folder of ours that gets the contents of those files, links that lead out among them; the layer then only
    names them. Where walls cannot write there, the layer has them as always."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Artifact:
    """One file read back from a sandbox, or laid over a project in one."""

    data: bytes
    executable: bool = False
    mode: int | None = None
    """Permission bits where they matter; None keeps those of the file it replaces.

    With the kernel's bits of a link or a folder it is one: where a link leads is its data, a folder has none.
    """

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return self.mode is not None and stat.S_ISLNK(self.mode)

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder, which matters where nothing else says that there is one."""
        return self.mode is not None and stat.S_ISDIR(self.mode)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One step of a run of several, such as a build."""

    name: str
    exit_code: int
    reason: Reason
    execution_time: float
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionResult:
    """How a run ended: the program's answer, what it used, what it touched, what was enforced."""

    exit_code: int
    reason: Reason = Reason.EXITED
    stdout_bytes: bytes = b""
    stderr_bytes: bytes = b""
    stdout_dropped: int = 0
    """Bytes left out of the middle because of the output limit."""
    stderr_dropped: int = 0
    execution_time: float = 0.0
    """Wall seconds, measured outside."""
    language: str | None = None
    level: Level | None = None
    enforced: Mapping[str, str] = field(default_factory=dict)
    """Each control that really held, and by what: ``{"memory": "cgroup v1", "pid namespace": …}``."""
    limits: Limits | None = None
    usage: Usage = field(default_factory=Usage)
    effects: Effects = field(default_factory=Effects)
    stages: tuple[Stage, ...] = ()
    warm: bool = False
    """Whether a sandbox was waiting when the run came."""
    artifacts: Mapping[str, Artifact] = field(default_factory=dict)
    """What the command asked to read back."""
    layer: Mapping[str, Artifact | None] = field(default_factory=dict)
    """What the run made, changed or (None) deleted in its workspace, for a command that asked for it."""
    container: str | None = None
    """The engine's id of the container, at the container level."""
    profile: str | None = None
    """Collapsed stacks of a profiled run, one ``frame;frame count`` a line."""
    id: str = field(default_factory=fresh_id)
    timestamp: datetime = field(default_factory=lambda: datetime.now(UTC))

    @property
    def success(self) -> bool:
        """The program ended by itself with exit code 0."""
        return self.reason is Reason.EXITED and self.exit_code == 0

    ok = success

    @property
    def stdout(self) -> str:
        """Standard output as text; bytes that are not UTF-8 become the replacement character."""
        return self.stdout_bytes.decode("utf-8", "replace")

    @property
    def stderr(self) -> str:
        """Standard error as text; bytes that are not UTF-8 become the replacement character."""
        return self.stderr_bytes.decode("utf-8", "replace")

    @property
    def timeout(self) -> bool:
        """The wall or processor time ran out."""
        return self.reason in (Reason.TIMEOUT, Reason.CPU_TIME)

    timed_out = timeout

    @property
    def oom_killed(self) -> bool:
        """The memory limit ended the run."""
        return self.reason is Reason.OUT_OF_MEMORY

    @property
    def container_id(self) -> str:
        """The engine's id of the container, else the run's own; its usage can be asked for by either."""
        return self.container or self.id

    @property
    def error_message(self) -> str | None:
        """One line that says what went wrong; None on success."""
        if self.success:
            return None
        if self.reason is not Reason.EXITED:
            return _REASONS[self.reason]
        last = next((line for line in reversed(self.stderr.splitlines()) if line.strip()), "")
        return last.strip()[:500] or f"exit code {self.exit_code}"

    def check(self) -> ExecutionResult:
        """Itself on success; otherwise an error that carries it."""
        if not self.success:
            raise ProgramFailed(self)
        return self

    def __str__(self) -> str:
        """What a person or a model needs to read: the output, then how it ended."""
        parts = [self.stdout, self.stderr]
        if not self.success:
            parts.append(f"[{self.reason}, exit code {self.exit_code}]")
        return "\n".join(part.rstrip("\n") for part in parts if part.strip())


class ProgramFailed(Exception):
    """Raised by ``ExecutionResult.check`` alone."""

    def __init__(self, result: ExecutionResult) -> None:
        """Carry the result."""
        super().__init__(result.error_message)
        self.result = result


_REASONS = {
    Reason.TIMEOUT: "stopped: the time limit was reached",
    Reason.CPU_TIME: "stopped: the processor time limit was reached",
    Reason.OUT_OF_MEMORY: "stopped: the memory limit was reached",
    Reason.OUT_OF_DISK: "failed: the disk limit was reached",
    Reason.TOO_MANY_PROCESSES: "failed: the process limit was reached",
    Reason.KILLED: "stopped: the sandbox was killed",
    Reason.CANCELLED: "stopped: the run was cancelled",
}
