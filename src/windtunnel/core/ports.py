"""The seams with two or more real implementations, and the rig that carries one of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Protocol, TypeAlias, runtime_checkable

from windtunnel.core.audit import AuditEntry, AuditRecord
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import Thresholds
from windtunnel.core.language import Language, Toolchain
from windtunnel.core.limits import Limits
from windtunnel.core.result import Artifact, Command, ExecutionResult, Level
from windtunnel.core.scenario import Outside
from windtunnel.core.tampering import Tampering

Sink: TypeAlias = Callable[[bytes], None]
"""Takes output as it comes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """What a run may reach."""

    host: bool = False
    """All that the host reaches."""
    allow_hosts: tuple[str, ...] = ()
    """Only these, through a proxy outside the sandbox; empty means nothing."""
    outside: Outside | None = None
    """A simulated one in the place of all others; nothing leaves the machine."""

    def __post_init__(self) -> None:
        """Refuse two worlds at once."""
        if self.outside is not None and (self.host or self.allow_hosts):
            raise UsageError("outside: a simulated one takes the place of every other (leave it out, or the host's "
                             "network and the allow-list)", field="outside")


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One command with everything a sandbox must know to run it."""

    command: Command
    limits: Limits
    language: Language
    toolchain: Toolchain
    network: Network = field(default_factory=Network)
    read_only: bool = True
    """Whether /sandbox is read-only to the program."""
    on_stdout: Sink | None = None
    on_stderr: Sink | None = None
    stdin: IO[bytes] | None = None
    """Live input, read as it comes; takes the place of ``command.stdin``."""
    spill: str | None = None
    """A folder on the host that gets each whole stream as a file."""
    warm: bool = True
    """Whether a waiting sandbox may be used."""
    stop: Callable[[], bool] | None = None
    """Asked now and then whether the run was cancelled; it is ended then, within a tenth of a second."""


class Sandbox(Protocol):
    """Runs one job inside walls of one level."""

    level: Level

    def run(self, job: Job) -> ExecutionResult:
        """Run it to its end; a program that fails is a result, an exception is our failure."""
        ...

    def close(self) -> None:
        """End all that waits; runs under way are cancelled."""
        ...


@runtime_checkable
class Warms(Protocol):
    """A sandbox that can have some waiting."""

    def warm_up(self, job: Job) -> None:
        """Have sandboxes of this job's kind waiting before it comes."""
        ...


class History(Protocol):
    """Remembers runs."""

    def ready(self) -> None:
        """Raise now what would keep a run from being stored later."""
        ...

    def add(self, result: ExecutionResult, *, limits: Limits) -> None:
        """Store one run; when this returns, a crash does not lose it."""
        ...

    def recent(self, limit: int | None = None) -> list[Mapping[str, object]]:
        """The latest runs, newest first."""
        ...

    def get(self, run_id: str) -> Mapping[str, object] | None:
        """One run by its id."""
        ...

    def prune(self, *, keep: int | None = None, days: float | None = None) -> int:
        """Forget the oldest; how many were forgotten."""
        ...


class AuditSink(Protocol):
    """Keeps what was done, so that nobody can change it unseen."""

    def begin(self, entry: AuditEntry, *, wait: bool = False) -> None:
        """Write down that an act begins; a typed error where its record could not be written later."""
        ...

    def append(self, entry: AuditEntry, *, wait: bool = True) -> AuditRecord:
        """Write one record; ``wait`` until a power cut does not lose it. A typed error where it cannot be written."""
        ...

    def post(self, entry: AuditEntry) -> None:
        """Have one record written soon; from now on the death of this process does not lose it."""
        ...

    def repair(self) -> list[AuditRecord]:
        """End the acts of processes that are gone; the records that say so."""
        ...

    def close(self) -> None:
        """Let go of the store."""
        ...


class Languages(Protocol):
    """The table of languages, with what this machine has of each."""

    def get(self, name: str) -> Language:
        """By name or alias; a typed error for an unknown one."""
        ...

    def toolchain(self, language: Language) -> Toolchain:
        """As found on this machine; a typed error that says what to install."""
        ...

    def __iter__(self) -> Iterator[Language]:
        """All of them."""
        ...


class Builds(Protocol):
    """Keeps products of compile stages by content; a miss is never an error."""

    def get(self, key: str) -> Mapping[str, Artifact] | None:
        """The products, or None."""
        ...

    def put(self, key: str, products: Mapping[str, Artifact]) -> None:
        """Keep them."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """One of each port; what the verbs of the engine work with."""

    sandbox: Sandbox
    languages: Languages
    history: History | None
    builds: Builds | None
    caps: Limits
    default_limits: Limits
    allow_network: bool = True
    """Whether a run may be given a network at all."""
    trial_seconds: float = 3600.0
    """The most wall time that each side of a trial may ask for."""
    tampering: Tampering = Tampering.USUAL
    """How trials take code that may be made for the inputs of the tests, at least."""
    gate: Thresholds | None = None
    """What the gate must find, at least; none where that is not set."""
    cache_dir: str | None = None
    """A folder of our own for what can be made again."""
    private: tuple[str, ...] = ()
    """Folders of our own, which no run may be given as its workspace."""
