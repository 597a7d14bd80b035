"""The nouns of a trial: checks, what they found, how that differs from the unchanged project, the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

from windtunnel.core.change import ChangeSet
from windtunnel.core.effects import Effects
from windtunnel.core.gate import GateResult
from windtunnel.core.limits import Limits
from windtunnel.core.randomness import fresh_id
from windtunnel.core.result import Artifact, Level, Reason, Usage


class Kind(StrEnum):
    """What a check is for, in the order in which they run."""

    BUILD = "build"
    LINT = "lint"
    TEST = "test"


class Status(StrEnum):
    """How one test ended."""

    PASSED = "passed"
    FAILED = "failed"
    """An assertion did not hold."""
    ERROR = "error"
    """It could not be run to its end: set-up, import or the process itself broke."""
    SKIPPED = "skipped"
    XFAILED = "xfailed"
    """Failed, as its author expected."""
    XPASSED = "xpassed"
    """Passed, although its author expected it to fail."""

    @property
    def good(self) -> bool:
        """Whether it ran and nothing is wrong; a test that did not run is neither good nor bad."""
        return self in (Status.PASSED, Status.XPASSED)

    @property
    def ran(self) -> bool:
        """Whether it ran, and so says something."""
        return self.good or self.bad

    @property
    def bad(self) -> bool:
        """Whether something is wrong."""
        return self in (Status.FAILED, Status.ERROR)


class Channel(StrEnum):
    """How results came out, best first."""

    LIVE = "live"
    """Record by record while the tests ran, each sealed with a key; nothing can be changed afterwards."""
    FILE = "file"
    """A machine-readable file, read when every process was dead; code in the same process could have written it."""
    STREAM = "stream"
    """A machine-readable format on standard output; code that prints could have written it."""
    TEXT = "text"
    """Read from words meant for people; the last resort."""
    EXIT_CODE = "exit code"
    """Nothing but the exit code is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExecutionTestResult:
    """How one test ended."""

    id: str
    """Stable from run to run: ``tests/test_a.py::test_b[1]``, ``pkg/TestName``, ``file > suite > test``."""
    status: Status
    duration_seconds: float = 0.0
    message: str = ""
    """Why it failed or was skipped; empty for one that passed."""
    path: str | None = None
    """Where it lies, relative to the project."""
    line: int | None = None
    category: str = ""
    """What kind of failure: ``assertion``, ``exception``, ``import``, ``timeout``, ``collection``, ``crash``."""
    tool: str = ""

    @property
    def name(self) -> str:
        """The same as ``id``."""
        return self.id

    test_name = name

    @property
    def passed(self) -> bool:
        """Whether it ran and nothing is wrong."""
        return self.status.good


@dataclass(frozen=True, slots=True, kw_only=True)
class LintResult:
    """One finding of a linter, type checker or compiler."""

    tool: str
    rule: str
    message: str
    path: str | None = None
    """Relative to the project."""
    line: int | None = None
    column: int | None = None
    severity: Literal["error", "warning", "note"] = "warning"
    category: str = "style"
    """``style``, ``type``, ``bug``, ``security``, ``syntax``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One command that judges a project."""

    kind: Kind
    tool: str
    """The tool that knows its output; ``command`` when none does."""
    argv: tuple[str, ...]
    """As a person would type it in the project's folder."""
    found_in: str = "given"
    """What named it: a file of the project, or ``given`` when the caller did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks:
    """All the commands that judge a project, in order."""

    checks: tuple[Check, ...] = ()
    missing: tuple[str, ...] = ()
    """Tools that the project is set up for but that cannot be found, each with what to install."""

    def of(self, kind: Kind) -> tuple[Check, ...]:
        """Those of one kind."""
        return tuple(check for check in self.checks if check.kind is kind)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckReport:
    """How one check ended."""

    check: Check
    exit_code: int
    reason: Reason
    """The supervisor's word, never the program's."""
    execution_time: float
    channel: Channel
    tests: tuple[ExecutionTestResult, ...] = ()
    findings: tuple[LintResult, ...] = ()
    stdout: str = ""
    stderr: str = ""
    usage: Usage = field(default_factory=Usage)
    effects: Effects = field(default_factory=Effects)
    notes: tuple[str, ...] = ()
    """What was odd: records with a wrong seal, a runner that ended before its last test, an unreadable report."""
    interfered: tuple[str, ...] = ()
    """Parts of the runner that were replaced while it ran."""
    forged: int = 0
    """Records with a wrong seal or number."""
    touched: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """For a traced run: the code that each test ran, as ``path:first line of the function``."""
    products: Mapping[str, Artifact | None] = field(default_factory=dict)
    """For a build: what it left in the project's folder, for the steps after it; None for what it deleted."""

    @property
    def success(self) -> bool:
        """Whether the command ended by itself with exit code 0 and no test is bad."""
        clean = self.reason is Reason.EXITED and self.exit_code == 0
        return clean and not any(test.status.bad for test in self.tests)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delta:
    """Tests by what became of them, compared with the unchanged project; each test id stands in one list alone."""

    fixed: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    """Not there before, and not bad."""
    new_failing: tuple[str, ...] = ()
    vanished: tuple[str, ...] = ()
    """There before, not reported now."""
    silenced: tuple[str, ...] = ()
    """Ran before, and is now skipped or expected to fail."""
    flaky: tuple[str, ...] = ()
    """Ended differently when it was run again with nothing changed."""
    still_passing: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TamperFinding:
    """One way in which a change reaches for the verdict instead of the problem."""

    rule: str
    """A stable name: ``test-deleted``, ``runner-configuration``, ``exits-early`` …"""
    message: str
    path: str | None = None
    line: int | None = None
    severity: Literal["block", "show"] = "block"
    """``block`` makes the verdict not good; ``show`` is for a person to look at."""
    evidence: str = ""
    """The words of the change, or the tests, that show it."""


SPECIAL_CASES = frozenset({"special-case", "decides-by-test-input"})
"""Rules that speak of code made for the inputs of the tests; what they show is to be read by a person."""


class Verdict(StrEnum):
    """What to do with the change."""

    GOOD = "good"
    NOT_GOOD = "not good"


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxResult:
    """The verdict of a trial, and all that it rests on."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    """Why it is not good; for a good one, what it improved."""
    delta: Delta = field(default_factory=Delta)
    new_findings: tuple[LintResult, ...] = ()
    """Findings that the unchanged project does not have."""
    fixed_findings: int = 0
    tamper: tuple[TamperFinding, ...] = ()
    reports: tuple[CheckReport, ...] = ()
    """With the project's own tests and runner configuration laid over the change: what the verdict rests on."""
    proposed_reports: tuple[CheckReport, ...] = ()
    """The tests as the change would have them; empty where that is the same."""
    effects: Effects = field(default_factory=Effects)
    """Of all checks together, without what the change itself is made of."""
    changes: ChangeSet = field(default_factory=lambda: ChangeSet(changes=()))
    checks: Checks = field(default_factory=Checks)
    baseline_cached: bool = False
    level: Level | None = None
    enforced: Mapping[str, str] = field(default_factory=dict)
    limits: Limits | None = None
    usage: Usage = field(default_factory=Usage)
    workspace: Literal["overlay", "copy"] = "overlay"
    execution_time: float = 0.0
    notes: tuple[str, ...] = ()
    tree: str = ""
    """The hash of the unchanged project."""
    seen: Mapping[str, str | None] = field(default_factory=dict)
    """The hash of every touched file as the trial saw it; None where there was none."""
    gate: GateResult | None = None
    """What the gate says of the change; None where it was not asked."""
    id: str = field(default_factory=fresh_id)

    @property
    def success(self) -> bool:
        """Whether the change may be applied."""
        return self.verdict is Verdict.GOOD

    @property
    def to_read(self) -> tuple[TamperFinding, ...]:
        """Places of a change that may be made for the inputs of the tests, and do not count against it."""
        return tuple(each for each in self.tamper if each.severity == "show" and each.rule in SPECIAL_CASES)

    @property
    def build_success(self) -> bool:
        """Whether every build command succeeded; also true where there is none."""
        return all(report.success for report in self.reports if report.check.kind is Kind.BUILD)

    @property
    def test_results(self) -> list[ExecutionTestResult]:
        """Every test of the run that the verdict rests on."""
        return [test for report in self.reports for test in report.tests]

    @property
    def lint_results(self) -> list[LintResult]:
        """Every finding, old and new."""
        return [finding for report in self.reports for finding in report.findings]

    @property
    def side_effects_detected(self) -> bool:
        """Whether anything happened that a test run does not usually do."""
        effects = self.effects
        return bool(effects.unexpected or effects.processes_left or effects.network or effects.blocked)

    @property
    def execution_time_ms(self) -> int:
        """Wall milliseconds of the whole trial."""
        return round(self.execution_time * 1000)

    @property
    def stdout(self) -> str:
        """What all commands wrote to standard output, in order."""
        return "".join(report.stdout for report in self.reports)

    @property
    def stderr(self) -> str:
        """What all commands wrote to standard error, in order."""
        return "".join(report.stderr for report in self.reports)
