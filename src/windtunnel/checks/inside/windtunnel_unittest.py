"""Runs unittest and sends a sealed record for everything that happens.

The same command line as ``python -m unittest``, with a result that reports. Valid from Python 3.8 on.
"""

# ruff: noqa: ANN401, N802, D102, PLC0415 -- unittest's own names and objects; ours are found only at the start

from __future__ import annotations

import importlib
import os
import sys
import time
import traceback
import unittest
from typing import Any, Callable  # noqa: UP035 -- for Python 3.8
from unittest.loader import _FailedTest  # type: ignore[attr-defined]  # what stands for a module that does not load

ROOT = os.getcwd()
MOST_MESSAGE = 1500
LAST_LINES = 12
NO_TESTS = 5
RANKS = {"passed": 0, "xfailed": 1, "skipped": 2, "failed": 3, "error": 4}
"""Of several outcomes of one test the highest stands."""
HOT = ("TestCase", "_Outcome", "TestSuite", "BaseTestSuite", "TestResult", "TextTestResult", "_AssertRaisesContext",
       "_BaseTestCaseContext", "_AssertRaisesBaseContext", "IsolatedAsyncioTestCase", "FunctionTestCase")
MODULES = ("unittest.case", "unittest.suite", "unittest.result", "unittest.runner", "unittest.loader", "unittest.main",
           "unittest.util", "unittest.async_case")


class Session:
    """One run: what was collected, told and touched so far."""

    def __init__(
        self, send: Callable[..., None], guard: Any, *, tracer: Any, options: dict[str, Any], alarm: Any,
    ) -> None:
        """Nothing is sent before unittest calls."""
        self.send, self.guard, self.tracer, self.options, self.alarm = send, guard, tracer, options, alarm
        self.short: Callable[[str], str] = sys.modules["windtunnel_seal"].short
        self.count = 0
        self.told: set[str] = set()
        self.tests: list[Any] = []
        self.common_code: set[str] = set()
        self.module_code: dict[str, set[str]] = {}
        self.class_code: dict[type, set[str]] = {}

    def ran(self) -> set[str]:
        """The project's code that ran since the last look."""
        return (self.tracer.take() or set()) if self.tracer is not None else set()

    def collect(self, suite: Any) -> Any:
        """Tell what will run; the suite, or what was selected of it in that order."""
        tests, select = flatten(suite), self.options["select"]
        if select is not None:
            found = {self.short(name_of(test)): test for test in reversed(tests)}
            tests = [found[name] for name in dict.fromkeys(select) if name in found]
        if self.options["first"]:
            places = {name: place for place, name in enumerate(self.options["first"])}
            tests.sort(key=lambda test: places.get(self.short(name_of(test)), len(places)))
        if select is not None or self.options["first"]:
            suite = unittest.TestSuite(tests)
        self.tests = tests
        self.common_code |= self.ran()
        self.guard.check("while the tests were collected", everything=True)
        self.send("collected", many=("ids", [name_of(test) for test in tests]))
        return suite

    def start(self, test: Any) -> None:
        self.send("start", id=self.short(name_of(test)))
        self.class_code.setdefault(type(test), set()).update(self.ran())

    def tell(self, test: Any, *, status: str, seconds: float, message: str, category: str) -> None:
        """Send the result of one test."""
        name, (path, line) = name_of(test), place(test)
        self.count += 1
        self.told.add(name)
        self.send("test", id=self.short(name), status=status, seconds=seconds, message=message, path=path, line=line,
                  category=category if status in ("failed", "error") else "")
        if self.tracer is not None:
            self.tracer.pause()
        code = self.tracer.take() if self.tracer is not None else None
        if self.tracer is not None:
            self.tracer.resume()
        if code is not None:
            kind = type(test)
            code |= self.common_code | self.module_code.get(kind.__module__, set()) | self.class_code.get(kind, set())
            self.send("touched", many=("code", sorted(code)), id=self.short(name))

    def stands_for(self, holder: Any) -> list[Any]:
        """The tests that cannot run because the set-up of their class or module failed; else the holder itself."""
        kind, _, owner = name_of(holder).partition(" (")
        owner = owner.rstrip(")")
        many = [test for test in self.tests if kind.startswith("setUp") and belongs(test, owner)]
        return [test for test in many if name_of(test) not in self.told] or [holder]


class Result(unittest.TextTestResult):
    """Tells each outcome, when the test is over."""

    session: Session
    current: Any = None
    status: str | None = None
    message = ""
    category = ""
    began = 0.0
    limit: Any = None

    def startTest(self, test: Any) -> None:
        self.current, self.status, self.message, self.category = test, None, "", ""
        self.session.start(test)
        self.began = clock()
        super().startTest(test)
        self.limit = self.session.alarm.around()
        self.limit.__enter__()  # its end comes by another call of unittest's

    def stopTest(self, test: Any) -> None:
        if self.limit is not None:
            self.limit.__exit__(None, None, None)
        self.limit = None  # Python 3.12.1 stops a skipped test that it never started
        super().stopTest(test)
        self.current = None
        if self.status is not None:
            self.session.tell(test, status=self.status, seconds=clock() - self.began, message=self.message,
                              category=self.category)
        self.status = None
        self.session.guard.check("during " + self.session.short(name_of(test)))

    def note(self, status: str, message: str = "", *, category: str = "") -> None:
        if self.status is None or RANKS[status] > RANKS[self.status]:
            self.status, self.message, self.category = status, message, category

    def about(self, test: Any, status: str, *, message: str, category: str = "") -> None:
        """Note an outcome; outside of any test it is one of a class or module, and stands for all its tests."""
        if self.current is not None:
            self.note(status, message, category=category)
            return
        for part in self.session.stands_for(test):
            self.session.tell(part, status=status, seconds=0.0, message=message, category=category)
        self.session.guard.check("during " + self.session.short(name_of(test)))

    def addSuccess(self, test: Any) -> None:
        super().addSuccess(test)
        self.note("passed")

    def addError(self, test: Any, err: Any) -> None:
        super().addError(test, err)
        self.about(test, "error", message=explain(err), category=categorise(err, test))

    def addFailure(self, test: Any, err: Any) -> None:
        super().addFailure(test, err)
        self.about(test, "failed", message=explain(err), category=categorise(err, test))

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:
        super().addSubTest(test, subtest, err)
        if err is not None:
            status = "failed" if issubclass(err[0], test.failureException) else "error"
            description = str(subtest._subDescription())  # noqa: SLF001 -- no other way to name it
            self.note(status, description + "\n" + explain(err), category=categorise(err, test))

    def addSkip(self, test: Any, reason: str) -> None:
        super().addSkip(test, reason)
        self.about(test, "skipped", message=str(reason))

    def addExpectedFailure(self, test: Any, err: Any) -> None:
        super().addExpectedFailure(test, err)
        self.note("xfailed", explain(err))

    def addUnexpectedSuccess(self, test: Any) -> None:
        super().addUnexpectedSuccess(test)
        self.note("failed", "unexpected success: it was expected to fail", category="assertion")


class Runner(unittest.TextTestRunner):
    """Runs what was selected, with the result that tells."""

    session: Session
    resultclass = Result  # type: ignore[assignment]  # the stubs name the call, not the class

    def _makeResult(self) -> Any:
        result: Any = super()._makeResult()
        result.session = self.session
        return result

    def run(self, test: Any) -> Any:
        self.failfast = self.failfast or self.session.options["fail_fast"]
        return super().run(self.session.collect(test))


class Loader(unittest.TestLoader):
    """Notes what code ran when a module was loaded."""

    session: Session

    def _get_module_from_name(self, name: str) -> Any:
        self.session.common_code |= self.session.ran()
        try:
            return super()._get_module_from_name(name)  # type: ignore[misc]  # private, and the one place for it
        finally:
            self.session.module_code.setdefault(name, set()).update(self.session.ran())


def name_of(test: Any) -> str:
    """The id of a test; of a module that could not be loaded, the module's name."""
    return str(test._testMethodName if isinstance(test, _FailedTest) else test.id())  # noqa: SLF001 -- no other way


def flatten(suite: Any) -> list[Any]:
    """The tests of nested suites, in order."""
    try:
        parts = iter(suite)
    except TypeError:
        return [suite]
    return [test for part in parts for test in flatten(part)]


def belongs(test: Any, owner: str) -> bool:
    """Whether a test is one of the class or module of that name."""
    kind = type(test)
    return owner in (kind.__module__, kind.__module__ + "." + kind.__qualname__)


def place(test: Any) -> tuple[str | None, int | None]:
    """Where a test lies: path relative to the project, and line."""
    if isinstance(test, _FailedTest):
        path = name_of(test).replace(".", "/") + ".py"
        return (path, None) if os.path.exists(os.path.join(ROOT, path)) else (None, None)
    kind = type(test)
    method: Any = getattr(kind, getattr(test, "_testMethodName", ""), None)
    while hasattr(method, "__wrapped__"):
        method = method.__wrapped__
    code = getattr(method, "__code__", None)
    path = code.co_filename if code is not None else getattr(sys.modules.get(kind.__module__), "__file__", None) or ""
    path = os.path.join(ROOT, path)
    line = getattr(code, "co_firstlineno", None)
    return (path[len(ROOT) + 1 :], line) if path.startswith(ROOT + os.sep) else (None, None)


def categorise(error: Any, test: Any) -> str:
    """What kind of failure."""
    if isinstance(test, _FailedTest):
        return "collection"
    if issubclass(error[0], unittest.TestCase.failureException):
        return "assertion"
    if issubclass(error[0], TimeoutError):
        return "timeout"
    return "import" if issubclass(error[0], ImportError) else "exception"


def explain(error: Any) -> str:
    """The exception in one line, then the last lines of where it came from."""
    head = "".join(traceback.format_exception_only(error[0], error[1])).strip()
    lines = "".join(traceback.format_exception(*error, limit=-4)).strip().splitlines()[-LAST_LINES:]
    return (head[:MOST_MESSAGE] + "\n" + "\n".join(lines)[-MOST_MESSAGE:]).strip()


def clock(read: Callable[[], float] = time.perf_counter) -> float:
    """Seconds; bound before a test can replace the clock."""
    return read()


def exit_code(result: Any) -> int:
    """As ``python -m unittest`` of this version would exit."""
    if not result.wasSuccessful():
        return 1
    return NO_TESTS if sys.version_info >= (3, 12) and not result.testsRun and not result.skipped else 0


def prepare(seal: Any) -> Session:
    """Read the key, remember what decides results, and begin."""
    import windtunnel_alarm  # type: ignore[import-not-found]  # lies beside this file when it runs
    import windtunnel_guard  # type: ignore[import-not-found]  # the same
    import windtunnel_trace  # type: ignore[import-not-found]  # the same

    send, options = seal.sender((windtunnel_guard, sys.modules[__name__])), seal.options()
    guard = windtunnel_guard.Guard(send)
    for name in MODULES:
        guard.add_module(importlib.import_module(name), hot=HOT)
    for owner in (Session, Result, Runner, windtunnel_alarm.Alarm):
        guard.add_class(owner)
    send("begin", tool="unittest", version=sys.version.split()[0])
    tracer = windtunnel_trace.Tracer(ROOT) if options["trace"] else None
    return Session(send, guard, tracer=tracer, options=options, alarm=windtunnel_alarm.Alarm(options["test_seconds"]))


def main() -> int:
    """Run the tests; the exit code is unittest's own."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import windtunnel_seal as seal  # type: ignore[import-not-found]  # the same

    session = Runner.session = prepare(seal)
    loader = unittest.TestLoader()
    if session.tracer is not None:
        loader = Loader()
        loader.session = session
    del sys.path[0]
    seal.hide("unittest")
    seal.open_paths(current=True)
    pattern = session.options["pattern"]
    sys.argv = ["python -m unittest", *session.options["args"]]
    program = unittest.main(module=None, argv=[*sys.argv, *([] if pattern is None else ["-k", pattern])],
                            testRunner=Runner, testLoader=loader, exit=False)
    code = exit_code(program.result)
    if session.tracer is not None:
        session.tracer.stop()
    session.guard.finish("at the end")
    stopped = "stopped at the first failure" if program.result.shouldStop else ""
    session.send("end", exit=code, count=session.count, stopped=stopped)
    return code


if __name__ == "__main__":
    sys.exit(main())
