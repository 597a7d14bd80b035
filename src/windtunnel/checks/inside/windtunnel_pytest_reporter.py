"""The pytest plugin that tells what happens, and how three reports of a test become one status."""

# ruff: noqa: ANN401, D102 -- pytest's objects differ from version to version; its hooks are described there

from __future__ import annotations

import os
import unittest
from typing import TYPE_CHECKING, Any, Callable, Generator, Mapping, Sequence  # noqa: UP035 -- for Python 3.8

import pytest
from windtunnel_alarm import Alarm  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_seal import short  # type: ignore[import-not-found]  # the same

if TYPE_CHECKING:
    from windtunnel.checks.inside.windtunnel_guard import Guard
    from windtunnel.checks.inside.windtunnel_trace import Tracer

ROOT = os.getcwd()
LAST_LINES = 12
MOST_MESSAGE = 1500
ASSERTIONS = (AssertionError, pytest.fail.Exception)
SKIPS = (pytest.skip.Exception, unittest.SkipTest)
ONE_PROCESS: Mapping[str, Any] = {"numprocesses": 0, "dist": "no", "tx": [], "distload": False, "looponfail": False}
"""Options of pytest-xdist: results come from the process that was watched from its start."""

wrapper = pytest.hookimpl(hookwrapper=True, tryfirst=True)


class Reporter:
    """One run; tells of each test when its teardown is over."""

    def __init__(self, send: Callable[..., None], guard: Guard, *, tracer: Tracer | None, options: Any) -> None:
        """Nothing is sent before pytest calls."""
        self.send, self.guard, self.tracer, self.options = send, guard, tracer, options
        self.alarm = Alarm(options["test_seconds"])
        self.selected = frozenset(options["select"] or ())
        self.prefix = ""
        self.current: str | None = None
        self.phases: dict[str, Any] = {}
        self.raised: dict[str, Any] = {}
        self.parts: list[Any] = []
        self.count = 0
        self.stopped = ""
        self.common_code: set[str] = set()
        self.module_code: dict[str, set[str]] = {}
        self.fixture_code: dict[int, tuple[object, set[str]]] = {}
        self.own_code: set[str] = set()

    def name(self, nodeid: str) -> str:
        """The id relative to the project, wherever pytest found its own root."""
        return str(short(self.prefix + nodeid if nodeid else self.prefix.rstrip("/") or "."))

    @wrapper
    def pytest_load_initial_conftests(self, early_config: Any) -> Generator[None, Any, None]:
        self.guard.settle()
        if self.tracer is not None or self.options["select"] is not None or self.options["fail_fast"]:
            early_config.known_args_namespace.no_cov = True  # it would trace too, and judge a part as the whole
        yield

    @wrapper
    def pytest_cmdline_main(self, config: Any) -> Generator[None, Any, None]:
        root = str(getattr(config, "rootpath", None) or config.rootdir)
        if root.startswith(ROOT + os.sep):
            self.prefix = root[len(ROOT) + 1 :] + "/"
        for name, value in ONE_PROCESS.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        if self.options["select"] is not None:
            files = dict.fromkeys(os.path.join(ROOT, name.split("::")[0]) for name in self.options["select"])
            nothing = [os.path.dirname(os.path.abspath(__file__))]
            config.args[:] = [file for file in files if os.path.exists(file)] or nothing
        yield

    @wrapper
    def pytest_collection_modifyitems(self, config: Any, items: list[Any]) -> Generator[None, Any, None]:
        yield
        if self.options["first"]:
            places = {name: place for place, name in enumerate(self.options["first"])}
            items.sort(key=lambda item: places.get(self.name(item.nodeid), len(places)))
        if self.options["select"] is not None:
            self.choose(config, items)

    def choose(self, config: Any, items: list[Any]) -> None:
        """Leave what was selected, in that order; a file stands for all its tests, in theirs."""
        found: dict[str, list[Any]] = {}
        for item in items:
            name = self.name(item.nodeid)
            found.setdefault(name if name in self.selected else name.split("::")[0], []).append(item)
        chosen = {name: found.pop(name) for name in self.options["select"] if name in found}
        if self.options["first"]:  # files are taken together, so that what comes first comes first of all
            kept = {id(item) for group in chosen.values() for item in group}
            items[:] = [item for item in items if id(item) in kept]
        else:
            items[:] = [item for group in chosen.values() for item in group]
        rest = [item for group in found.values() for item in group]
        if rest:
            config.hook.pytest_deselected(items=rest)

    @wrapper
    def pytest_make_collect_report(self, collector: Any) -> Generator[None, Any, None]:
        watched = self.tracer is not None and isinstance(collector, pytest.Module)
        if watched:
            self.common_code |= self.ran()
        yield
        if watched:
            self.module_code.setdefault(collector.nodeid, set()).update(self.ran())

    def pytest_collectreport(self, report: Any) -> None:
        outcome = vars(report)["outcome"]
        if outcome == "passed":
            return
        failed = outcome == "failed"
        self.count += 1
        self.send(
            "test", id=self.name(report.nodeid), status="error" if failed else "skipped", seconds=0.0,
            message=tail(report.longreprtext) if failed else reason(report),
            path=self.name(report.nodeid.split("::")[0]), line=None, category="collection" if failed else "")

    def pytest_collection_finish(self, session: Any) -> None:
        if self.tracer is not None:
            self.tracer.pause()
        self.common_code |= self.ran()
        self.guard.check("while the tests were collected", everything=True)
        if not session.config.option.collectonly:
            self.send("collected", many=("ids", [self.name(item.nodeid) for item in session.items]))

    @wrapper
    def pytest_runtest_protocol(self, item: Any) -> Generator[None, Any, None]:
        name = self.name(item.nodeid)
        self.current, self.phases, self.raised, self.parts, self.own_code = item.nodeid, {}, {}, [], set()
        self.send("start", id=name)
        self.ran()
        outcome = yield
        if outcome.excinfo is None and "setup" in self.phases and "teardown" in self.phases:
            self.tell(item, name)
        self.guard.check("during " + name)

    @wrapper
    def pytest_runtest_setup(self) -> Generator[None, Any, None]:
        yield from self.watched()

    @wrapper
    def pytest_runtest_call(self) -> Generator[None, Any, None]:
        yield from self.watched()

    @wrapper
    def pytest_runtest_teardown(self) -> Generator[None, Any, None]:
        yield from self.watched()

    def watched(self) -> Generator[None, Any, None]:
        """Trace and limit the test and not what pytest does around it."""
        if self.tracer is not None:
            self.tracer.resume()
        with self.alarm.around():
            yield
        if self.tracer is not None:
            self.tracer.pause()

    @wrapper
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, None]:
        raised = call.excinfo
        yield
        if item.nodeid == self.current:
            self.raised[call.when] = call.excinfo or raised

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.nodeid != self.current:
            return
        outcome = vars(report)["outcome"]
        if type(report).__name__.lower() == "subtestreport":
            self.parts += [report] if outcome == "failed" else []
        elif outcome == "rerun":
            self.phases, self.parts = {}, []
        else:
            self.phases[report.when] = report

    @wrapper
    def pytest_fixture_setup(self, fixturedef: Any) -> Generator[None, Any, None]:
        shared = self.tracer is not None and fixturedef.scope != "function"
        if shared:
            self.own_code |= self.ran()
        yield
        if shared:
            code = self.ran()
            self.fixture_code.setdefault(id(fixturedef), (fixturedef, set()))[1].update(code)
            self.own_code |= code

    def pytest_sessionfinish(self, session: Any) -> None:
        self.stopped = str(session.shouldfail or session.shouldstop or "")

    def ran(self) -> set[str]:
        """The project's code that ran since the last look."""
        return (self.tracer.take() or set()) if self.tracer is not None else set()

    def tell(self, item: Any, name: str) -> None:
        """Send the result of one test."""
        hidden = [when for when, raised in self.raised.items() if raised and not isinstance(raised.value, SKIPS)]
        status, report = judge(self.phases, self.parts, hidden)
        if status in ("failed", "error") and vars(report)["outcome"] == "passed":
            what = "the report of " + name + " was changed from failed to passed"
            self.send("integrity", what=what, category="runner")
        raised = self.raised.get(report.when)
        path, line = item.location[:2]
        self.count += 1
        self.send(
            "test", id=name, status=status, seconds=float(sum(phase.duration for phase in self.phases.values())),
            message="" if status == "passed" else explain(report, status, raised), path=self.name(path),
            line=None if line is None else line + 1,
            category=categorise(report, raised) if status in ("failed", "error") else "")
        if self.tracer is not None:
            self.tell_code(item, name)

    def tell_code(self, item: Any, name: str) -> None:
        """Send what code the test ran: its own, its module's, and that of fixtures it shares with others."""
        assert self.tracer is not None
        code = self.tracer.take()
        if code is None:
            return
        code |= self.own_code | self.common_code
        for node in item.listchain():
            code |= self.module_code.get(node.nodeid, set())
        fixtures = getattr(getattr(item, "_fixtureinfo", None), "name2fixturedefs", {})
        for definition in [definition for group in fixtures.values() for definition in group]:
            code |= self.fixture_code.get(id(definition), (None, set()))[1]
        self.send("touched", many=("code", sorted(code)), id=name)


def judge(phases: Mapping[str, Any], parts: Sequence[Any], hidden: Sequence[str]) -> tuple[str, Any]:
    """One status for set-up, call and teardown, and the report that gave it; what was raised weighs more than it."""
    outcomes = {when: "failed" if when in hidden and vars(report)["outcome"] == "passed" else vars(report)["outcome"]
                for when, report in phases.items()}
    setup, call, teardown = phases["setup"], phases.get("call"), phases["teardown"]
    if outcomes["setup"] != "passed":
        return "error" if outcomes["setup"] == "failed" else unrun(setup), setup
    if outcomes.get("call") == "failed":
        return "failed", call
    if parts:
        return "failed", parts[0]
    if outcomes["teardown"] != "passed":
        return "error", teardown
    if call is None or outcomes["call"] != "passed":
        return unrun(call), call or setup  # without a call: --setup-only, its body was not run
    return "xpassed" if hasattr(call, "wasxfail") else "passed", call


def unrun(report: Any) -> str:
    """Skipped, or failed as expected."""
    return "xfailed" if hasattr(report, "wasxfail") else "skipped"


def categorise(report: Any, raised: Any) -> str:
    """What kind of failure."""
    if raised is None:
        text = str(report.longrepr)
        return "assertion" if "AssertionError" in text or "XPASS(strict)" in text else "exception"
    if isinstance(raised.value, TimeoutError) or str(raised.value).startswith("Timeout "):
        return "timeout"
    if isinstance(raised.value, ASSERTIONS):
        return "assertion"
    return "import" if isinstance(raised.value, ImportError) else "exception"


def explain(report: Any, status: str, raised: Any) -> str:
    """Why, in a few lines: the crash's own message, then the last lines of what pytest shows."""
    if status in ("xfailed", "xpassed", "skipped"):
        return reason(report)
    crash = getattr(getattr(report.longrepr, "reprcrash", None), "message", "") or (raised.exconly() if raised else "")
    return str(crash[:MOST_MESSAGE] + "\n" + tail(report.longreprtext)).strip()


def reason(report: Any) -> str:
    """Why it was skipped or expected to fail."""
    text = getattr(report, "wasxfail", None)
    if text is None:
        text = report.longrepr[2] if isinstance(report.longrepr, tuple) else tail(report.longreprtext)
    start = next((start for start in ("Skipped: ", "reason: ") if text.startswith(start)), "")
    return str(text[len(start) :][:MOST_MESSAGE])


def tail(text: str) -> str:
    """The last lines."""
    return "\n".join(text.strip().splitlines()[-LAST_LINES:])[-MOST_MESSAGE:]
