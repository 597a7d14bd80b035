"""All checks of a project, run for one state of it: build first, then lint beside tests, tests over the cores."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from windtunnel.checks import tool_named
from windtunnel.core.ports import Network, Rig
from windtunnel.core.result import ExecutionResult, Reason
from windtunnel.core.tool import Ask
from windtunnel.core.trial import Channel, Check, CheckReport, Checks, ExecutionTestResult, Kind, Status
from windtunnel.engine.budget import Budget
from windtunnel.engine.checking import Overlay, Step, run_step
from windtunnel.engine.ground import Ground
from windtunnel.engine.products import over

_WORTH_SECONDS = 6.0
"""Tests that took longer than this together are spread over the cores; traced, they took two to three times as long."""
_WORTH_LOOKING_SECONDS = 0.8
"""Where they take longer than this, the likeliest to fail are run beside the others, not after all were collected."""
_PATIENCE = 12.0
"""How many times the processor time that a run may use it may take by the clock; machines are busy."""
_LIKELIEST = 1
"""Of how many of the tests to look at first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something to tell while a trial is under way."""

    kind: str
    """``step`` when a command starts, ``test`` when a test ended, ``note`` for the rest."""
    text: str
    status: str = ""
    side: str = ""
    """Which state of the project: ``unchanged``, ``changed``, ``as proposed``, ``again``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Which tests, and in which order."""

    known: Mapping[str, ExecutionTestResult] = field(default_factory=dict)
    """Tests of the unchanged project, with their durations; empty before the baseline."""
    first: tuple[str, ...] = ()
    only: tuple[str, ...] | None = None
    trace: bool = False
    fail_fast: bool = False
    """Whether to end a run at the first test that passed before and is bad now."""
    pattern: str | None = None
    side: str = ""
    """What to call this run when it is told of."""
    cpu_seconds: float | None = None
    """The most that one command of it may use, where that is less than its limits say; so many times as long by the
    clock, for a program that waits."""
    decided: threading.Event = field(default_factory=threading.Event)
    """Set by the part of a run that made the others needless."""


@contextlib.contextmanager
def crew(size: int) -> Iterator[ThreadPoolExecutor]:
    """Threads that are waited for, but not by someone who was interrupted: closing the sandbox ends their runs."""
    threads = ThreadPoolExecutor(max_workers=size)
    try:
        yield threads
    except BaseException as error:
        threads.shutdown(wait=isinstance(error, Exception), cancel_futures=True)
        raise
    threads.shutdown()


class Course:
    """Runs steps on one ground within one budget; used by one trial."""

    def __init__(
        self, rig: Rig, ground: Ground, checks: Checks, *, budget: Budget,
        env: Mapping[Kind, Mapping[str, str]] | None = None, build_network: Network | None = None,
        network: Network | None = None, tell: Callable[[Event], None] | None = None,
        mask: Callable[[CheckReport], CheckReport] | None = None, test_seconds: float | None = None,
    ) -> None:
        """Nothing runs yet."""
        self.rig, self.ground, self.checks, self.budget = rig, ground, checks, budget
        self.env, self.network, self.test_seconds = env or {}, network or Network(), test_seconds
        self.build_network = build_network or self.network
        self._tell = tell or (lambda _: None)
        self.mask = mask or (lambda report: report)
        self._lock = threading.Lock()
        self.last: ExecutionResult | None = None
        self.cancelled = threading.Event()

    def run(self, overlay: Overlay, *, kinds: Sequence[Kind], order: Order) -> tuple[CheckReport, ...]:
        """Builds one after the other, each on what the one before left; then everything else at once."""
        reports: list[CheckReport] = []
        layers = dict(overlay)
        for check in self.checks.of(Kind.BUILD) if Kind.BUILD in kinds else ():
            report = self._step(check, layers, order=order)
            reports.append(report)
            layers = over(report.products, overlay)
            if not report.success:
                return tuple(reports)
        work: list[Callable[[], CheckReport]] = []
        if Kind.TEST in kinds:
            work += [self._later(check, layers, order) for check in self.checks.of(Kind.TEST)]
        if Kind.LINT in kinds:
            work += [lambda check=check: self._step(check, layers, order=order) for check in self.checks.of(Kind.LINT)]  # type: ignore[misc]
        with crew(self.budget.lanes) as threads:
            reports += [future.result() for future in [threads.submit(act) for act in work]]
        return tuple(reports)

    def _later(self, check: Check, overlay: Overlay, order: Order) -> Callable[[], CheckReport]:
        return lambda: self.tests(check, overlay, order)

    def tests(self, check: Check, overlay: Overlay, order: Order) -> CheckReport:
        """One test command; in several sandboxes at once where that saves time."""
        ask = Ask(first=order.first, trace=order.trace, pattern=order.pattern, select=order.only,
                  test_seconds=self.test_seconds)
        tool = tool_named(check.tool)
        if not tool.selects and order.only is not None:
            ask = replace(ask, select=None)
        shares = _shares(order, self.budget.lanes) if tool.shares and order.only is None else []
        if not shares:
            return self._step(check, overlay, ask, order=order)
        asks = [replace(ask, select=tuple(share), first=tuple(name for name in ask.first if _file(name) in share))
                for share in shares]
        order = replace(order, decided=threading.Event())
        with crew(self.budget.lanes) as threads:
            parts = list(threads.map(lambda one: self._step(check, overlay, one, order=order), asks))
        return _joined(parts)

    def _step(
        self, check: Check, overlay: Overlay, ask: Ask | None = None, *, order: Order | None = None,
    ) -> CheckReport:
        with self.budget.lane() as lane:
            if lane is None or self.cancelled.is_set():
                return not_run(check, Reason.CANCELLED if self.cancelled.is_set() else Reason.TIMEOUT)
            side = order.side if order is not None else ""
            self._tell(Event(kind="step", text=f"{check.kind}: {' '.join(check.argv)}", side=side))
            network = self.build_network if check.kind is Kind.BUILD else self.network
            limits = lane.limits
            if order is not None and order.cpu_seconds is not None:
                limits = replace(limits, wall_seconds=min(limits.wall_seconds, _PATIENCE * order.cpu_seconds),
                                 cpu_seconds=min(limits.cpu_seconds or order.cpu_seconds, order.cpu_seconds))
            report, result = run_step(self.rig, self.ground, Step(
                check=check, overlay=overlay, limits=limits, ask=ask or Ask(), network=network,
                env=self.env.get(check.kind, {}), on_test=lambda record: self._hear(record, order)))
            lane.spent_cpu = result.usage.cpu_seconds or 0.0
        with self._lock:
            self.last = result
        return self.mask(report)

    def _hear(self, record: Mapping[str, Any], order: Order | None) -> bool:
        """Tell of a test; whether it decides a race."""
        if record.get("kind") != "test":
            return False
        name, status = str(record.get("id", "")), str(record.get("status", ""))
        self._tell(Event(kind="test", text=name, status=status, side=order.side if order is not None else ""))
        if order is None or not order.fail_fast:
            return False
        known = order.known.get(name)
        if known is not None and known.status.good and status in (Status.FAILED, Status.ERROR):
            order.decided.set()
        return order.decided.is_set()


def not_run(check: Check, reason: Reason) -> CheckReport:
    """The report of a check whose turn never came."""
    return CheckReport(check=check, exit_code=124, reason=reason, execution_time=0.0, channel=Channel.EXIT_CODE,
                       notes=(f"stopped: {reason}",))


def _file(name: str) -> str:
    return name.split("::", maxsplit=1)[0]


def _shares(order: Order, parts: int) -> list[list[str]]:
    """Files of tests in groups of about equal time, the likeliest to fail apart; none when it is not worth it."""
    seconds: dict[str, float] = {}
    for test in order.known.values():
        seconds[_file(test.id)] = seconds.get(_file(test.id), 0.0) + test.duration_seconds
    whole = sum(seconds.values())
    if parts < 2 or len(seconds) < parts:  # noqa: PLR2004 -- one core, or fewer files than cores
        return []
    ahead = _ahead(order, seconds) if whole >= _WORTH_LOOKING_SECONDS else []
    spread = _spread({path: taken for path, taken in seconds.items() if path not in ahead},
                     parts if whole >= _WORTH_SECONDS else 1)
    shares = [share for share in (ahead, *spread) if share]
    return shares if len(shares) > 1 else []


def _ahead(order: Order, seconds: Mapping[str, float]) -> list[str]:
    """The files of the tests that come first, where there are others."""
    files = list(dict.fromkeys(_file(name) for name in order.first[:_LIKELIEST] if _file(name) in seconds))
    return files if len(files) < len(seconds) else []


def _spread(seconds: Mapping[str, float], parts: int) -> list[list[str]]:
    shares: list[list[str]] = [[] for _ in range(parts)]
    loads = [0.0] * parts
    for path, taken in sorted(seconds.items(), key=lambda item: -item[1]):
        least = loads.index(min(loads))
        shares[least].append(path)
        loads[least] += taken
    return shares


def _joined(parts: Sequence[CheckReport]) -> CheckReport:
    """One report of several sandboxes; the worst ending counts."""
    worst = max(parts, key=lambda part: (part.reason is not Reason.EXITED, part.exit_code))
    effects = parts[0].effects
    for part in parts[1:]:
        effects = effects.joined(part.effects)
    return replace(
        worst, execution_time=max(part.execution_time for part in parts), effects=effects,
        tests=tuple(test for part in parts for test in part.tests),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        interfered=tuple(dict.fromkeys(what for part in parts for what in part.interfered)),
        forged=sum(part.forged for part in parts),
        stdout="".join(part.stdout for part in parts), stderr="".join(part.stderr for part in parts),
        usage=parts[0].usage.joined(*(part.usage for part in parts[1:])),
        touched={name: code for part in parts for name, code in part.touched.items()})
