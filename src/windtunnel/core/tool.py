"""What Windtunnel must know of one build tool, linter or test runner."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, LintResult

REPORT = "/tmp/windtunnel-report"  # noqa: S108 -- inside the sandbox
"""A folder made before the command starts; what it holds when all processes are dead is read back."""
PLACE = "/workspace"
"""Where a project lies inside a sandbox."""
OWN = "/sandbox"
"""Where the files of an ``Invocation`` lie inside a sandbox, read-only."""


class Project(Protocol):
    """A project on disk, as tools look at it; never follows a link out of it, never changes anything."""

    def read(self, path: str) -> bytes | None:
        """The content of one file, at most a few megabytes; None when it is not there or no plain file."""
        ...

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder of that name."""
        ...

    def glob(self, pattern: str) -> list[str]:
        """Relative paths of files that match (``**/*.py``), sorted, at most some thousands.

        Without those of virtual environments, ``node_modules`` and hidden folders.
        """
        ...

    def which(self, name: str) -> str | None:
        """The host path of a program as this project would find it.

        Its own virtual environment first, then ``node_modules/.bin``, the active environment, the search path.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """How a check should be run this time."""

    key: str = ""
    """A secret of this run alone, with which live records are sealed."""
    select: tuple[str, ...] | None = None
    """Only these test ids, in this order; None means all. For a tool that shares, a path stands for a file's tests."""
    first: tuple[str, ...] = ()
    """Ids of tests to run before the others, where the tool can choose."""
    trace: bool = False
    """Whether to record which code each test runs, where the tool can."""
    fail_fast: bool = False
    """Whether to stop at the first bad test."""
    pattern: str | None = None
    """Only tests whose name matches, in the tool's own language (``pytest -k``)."""
    test_seconds: float | None = None
    """Of the processor, after which a test is ended and counts as failed, where the tool can; None means no limit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Invocation:
    """A check made ready to give machine-readable results."""

    argv: tuple[str, ...]
    files: Mapping[str, bytes] = field(default_factory=dict)
    """Placed below ``OWN`` before the command starts, read-only to it."""
    env: Mapping[str, str] = field(default_factory=dict)
    stdin: bytes = b""
    """How ``Ask.key`` reaches the part of ours that seals: never by argument or variable, which the tests can read."""
    live: bool = False
    """Whether sealed records come on standard output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """All that came of an invocation."""

    exit_code: int
    stdout: bytes = b""
    """Without the sealed records."""
    stderr: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)
    """What lay in ``REPORT``, by relative path."""
    records: tuple[Mapping[str, Any], ...] = ()
    """Sealed records whose seal was right, in order."""
    forged: int = 0
    """Records whose seal was wrong."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What a tool's output says."""

    channel: Channel
    tests: tuple[ExecutionTestResult, ...] = ()
    findings: tuple[LintResult, ...] = ()
    notes: tuple[str, ...] = ()
    touched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolExample:
    """Real output of the tool and what must be read from it."""

    output: Output
    reading: Reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """One tool: how it is recognised, made to speak and understood."""

    name: str
    kind: Kind
    detect: Callable[[Project], Check | None]
    """The check a project is set up for, as a person would type it; None when it is not set up for this tool.

    Says what the project wants, whether or not the tool is installed; the first word of its command is looked for
    with ``Project.which`` by the caller.
    """
    recognise: Callable[[tuple[str, ...]], bool]
    """Whether a command someone gave runs this tool: ``("python", "-m", "pytest", "-q")``."""
    prepare: Callable[[Check, Ask], Invocation]
    read: Callable[[Output, Check], Reading]
    """Never raises, whatever the output is; paths are given relative to ``PLACE``."""
    install: str
    """What to install when it is missing, in words that can be followed."""
    selects: bool = False
    """Whether ``Ask.select`` is honoured."""
    shares: bool = False
    """Whether its tests may be spread over several runs, file by file; not for tools that do so themselves."""
    traces: bool = False
    """Whether ``Ask.trace`` is honoured."""
    examples: tuple[ToolExample, ...] = ()
