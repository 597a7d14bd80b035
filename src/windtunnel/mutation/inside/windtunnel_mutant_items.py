"""Collected tests run one by one with as little around them as their plugins allow: no report is made of a failure."""



from __future__ import annotations

import os
import resource
import signal
import time
import unittest
from typing import Any, Callable, Iterable, List, Optional, Sequence, Tuple

import pytest
from windtunnel_mutant_words import Answer  # type: ignore[import-not-found]  # lies beside this file when it runs

SKIPS = (pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest)
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
LATER_SECONDS = 1
"""Of the processor, after which the kernel ends what did not end by itself."""


class Items:
    """Runs tests by pytest's own protocol, in whose midst it stands in the place of pytest's reports."""

    def __init__(self) -> None:
        """Nothing has run."""
        self.status = PASSED
        self.failed = False

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> bool:
        """What all plugins wrap stays as it is; what makes reports does not come to its turn."""
        _explain_nothing()
        self.failed = False
        self.status = _run(item, nextitem)
        if self.failed:
            self.status = FAILED
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Parts of a test that report by themselves."""
        self.failed = self.failed or report.outcome == "failed"

    def run(self, item: Any, following: Any) -> str:
        """One test with its set-up and tear-down; ``following`` keeps what the next one uses too."""
        self.status = FAILED
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        except BaseException:
            return FAILED
        return SKIPPED if _failure_expected(item) else self.status

    def timed(self, items: Sequence[Any], *, each: Callable[[int], None]) -> List[Tuple[str, float, float]]:
        """All of them: status, seconds of the clock and of the processor of each; ``each`` hears when one is over."""
        found = []
        for number, item in enumerate(items):
            clock, processor = time.perf_counter(), time.process_time()
            status = self.run(item, items[number + 1] if number + 1 < len(items) else None)
            found.append((status, time.perf_counter() - clock, time.process_time() - processor))
            each(number)
        return found

    def first_killer(self, items: Sequence[Any], seconds: Sequence[float], answer: Answer) -> None:
        """Run until one fails, each with that many seconds of the processor; does not return."""
        for number, item in enumerate(items):
            answer.at(number)
            alarm(seconds[number], lambda: answer.end("timeout"))
            if self.run(item, items[number + 1] if number + 1 < len(items) else None) == FAILED:
                answer.end("killed", by=number)
        answer.end("survived")


def _run(item: Any, following: Any) -> str:
    if hasattr(item, "_request") and not item._request:
        item._initrequest()  # as pytest's own loop
    _expect_no_report(item)
    status = _phase(lambda: item.ihook.pytest_runtest_setup(item=item))
    if status == PASSED:
        status = _phase(lambda: item.ihook.pytest_runtest_call(item=item), item)
    ended = _phase(lambda: item.ihook.pytest_runtest_teardown(item=item, nextitem=following))
    if hasattr(item, "_request"):
        item._request, item.funcargs = False, None
    return FAILED if FAILED in (status, ended) else status


def _phase(act: Callable[[], Any], item: Any = None) -> str:
    try:
        act()
    except SKIPS:
        return SKIPPED
    except BaseException:
        return FAILED
    # The tests of unittest keep what they raised for the report.
    kept = getattr(item, "_excinfo", None)
    if not kept:
        return PASSED
    item._excinfo = None
    return SKIPPED if isinstance(kept[0].value, SKIPS) else FAILED


def _expect_no_report(item: Any) -> None:
    """The fixture of temporary folders looks for the reports of its test, and nobody makes any here."""
    try:
        from _pytest.tmpdir import tmppath_result_key

        item.stash.setdefault(tmppath_result_key, {})
    except (ImportError, AttributeError):
        pass  # a pytest that keeps none


def _failure_expected(item: Any) -> bool:
    """Whether it may fail without anybody minding, so that it notices nothing."""
    if item.get_closest_marker("xfail") is None:
        return False
    try:
        from _pytest.skipping import evaluate_xfail_marks

        return evaluate_xfail_marks(item) is not None
    except Exception:
        return True


def _explain_nothing() -> None:
    """Words for a failed comparison take longer than most tests, and nobody reads them here."""
    try:
        from _pytest.assertion import util

        util._reprcompare = None
    except ImportError:
        pass


def alarm(seconds: float, act: Callable[[], None]) -> None:
    """After that much time of the processor, do this; the kernel ends it for good soon after."""
    def ring(number: int, frame: object) -> None:
        act()

    signal.signal(signal.SIGPROF, ring)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    used = resource.getrusage(resource.RUSAGE_SELF)
    most = int(used.ru_utime + used.ru_stime + seconds) + LATER_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (most, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def bound_memory(more: int) -> None:
    """Let this process have that many bytes beyond what it has now."""
    with open("/proc/self/statm", "rb") as file:  # as bytes: not every process has the rest loaded
        pages = int(file.read().split()[5])
    resource.setrlimit(resource.RLIMIT_DATA, (pages * resource.getpagesize() + more, resource.RLIM_INFINITY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def chosen(items: Iterable[Any], names: Sequence[str], name_of: Callable[[Any], Optional[str]]) -> List[Any]:
    """Those with these names, in that order; then those made of the same functions for other values."""
    by_name = {name_of(item): item for item in items}
    first = [by_name.pop(name) for name in names if name in by_name]
    functions = {function(name) for name in names}
    return first + [item for name, item in by_name.items() if name is not None and function(name) in functions]


def function(name: str) -> str:
    """The name of a test without its values."""
    return name.split("[", 1)[0]


def own_folder(path: str) -> None:
    """Temporary files of this copy go to a folder of its own, which somebody removes after it."""
    import tempfile

    os.mkdir(path, 0o700)
    os.environ["TMPDIR"] = tempfile.tempdir = path
