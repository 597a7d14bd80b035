"""Tests of pytest: collected by pytest itself, run one by one with as little around them as their plugins allow."""

from __future__ import annotations

import os
import unittest
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence

import pytest

SKIPS = (pytest.skip.Exception, pytest.xfail.Exception, unittest.SkipTest)
PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
ONE_PROCESS = {"numprocesses": 0, "dist": "no", "tx": [], "distload": False, "looponfail": False}
"""Options of pytest-xdist, which would start processes of its own."""
MOST_REASON = 300
wrapper = pytest.hookimpl(hookwrapper=True, tryfirst=True)


class Tests:
    """One process, no other tracer, ids as the project's own run has them."""

    def __init__(self, ready: Callable[[Tests], None], collected: Callable[[Tests], None]) -> None:
        """``ready`` is called before anything is collected, ``collected`` after; neither needs to return."""
        self.ready, self.collected = ready, collected
        self.items: List[Any] = []
        self.broken: Dict[str, str] = {}
        """Files that could not be collected, with the reason."""
        self.prefix, self.status, self.failed = "", PASSED, False
        self.raised: Optional[BaseException] = None
        """What the test that ran last failed with."""

    def start(self, arguments: List[str]) -> None:
        """Does not return where the callers' functions do not."""
        own = list(arguments)
        at = own.index("--") if "--" in own else len(own)
        more = [] if any(word.startswith("--assert") for word in own) else ["--assert=plain"]
        # What is printed stays in the memory of the copy that prints it.
        more += [] if any(word == "-s" or word.startswith("--capture") for word in own) else ["--capture=sys"]
        pytest.main([*own[:at], "-q", "--continue-on-collection-errors", "-p", "no:cacheprovider", *more, *own[at:]],
                    plugins=[self])

    def name(self, item: Any) -> str:
        """As the project's own run names it."""
        return self.prefix + str(item.nodeid)

    def narrow(self, names: Sequence[str]) -> None:
        """Collect only the files of these tests."""
        files = dict.fromkeys(os.path.join(os.getcwd(), name.split("::", 1)[0]) for name in names)
        self.config.args[:] = [path for path in files if os.path.exists(path)]

    def chosen(self, names: Sequence[str]) -> Dict[str, List[Any]]:
        """The tests of each name: one, or for a file all of its tests."""
        by_name: Dict[str, List[Any]] = {}
        for item in self.items:
            name = self.name(item)
            by_name.setdefault(name, []).append(item)
            by_name.setdefault(name.split("::", 1)[0], []).append(item)
        return {name: by_name.get(name, []) for name in names}

    # --- what pytest calls ---

    @wrapper
    def pytest_load_initial_conftests(self, early_config: Any) -> Iterator[None]:
        early_config.known_args_namespace.no_cov = True
        yield

    @wrapper
    def pytest_cmdline_main(self, config: Any) -> Iterator[None]:
        root = str(getattr(config, "rootpath", None) or config.rootdir)
        if root.startswith(os.getcwd() + os.sep):
            self.prefix = root[len(os.getcwd()) + 1 :] + "/"
        for name, value in ONE_PROCESS.items():
            if hasattr(config.option, name):
                setattr(config.option, name, value)
        config.option.maxfail = 0  # one file that does not load must not keep others from being collected
        self.config = config
        yield

    @wrapper
    def pytest_collection(self) -> Iterator[None]:
        self.ready(self)
        yield

    def pytest_collectreport(self, report: Any) -> None:
        if report.outcome == "failed":
            self.broken[self.prefix + str(report.nodeid)] = _last_line(report)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: Any) -> bool:
        self.items = list(session.items)
        self.collected(self)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: Any, nextitem: Any) -> bool:
        """What all plugins wrap stays as it is; what makes reports does not come to its turn."""
        _explain_nothing()
        self.failed, self.raised = False, None
        self.status = self._run(item, nextitem)
        if self.failed:
            self.status = FAILED
        return True

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Parts of a test that report by themselves."""
        self.failed = self.failed or report.outcome == "failed"

    # --- running ---

    def run(self, item: Any, following: Any) -> str:
        """One test with its set-up and tear-down; ``following`` keeps what the next one uses too."""
        self.status = FAILED
        try:
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        except BaseException as error:
            self.raised = error
            return FAILED
        return _expected(item, self.status) if item.get_closest_marker("xfail") is not None else self.status

    def forget_folder(self) -> None:
        """The folder that pytest made for its temporary files is another one in each copy."""
        factory = getattr(self.items[0].config, "_tmp_path_factory", None) if self.items else None
        if factory is not None and getattr(factory, "_given_basetemp", None) is None:
            factory._basetemp = None

    def _run(self, item: Any, following: Any) -> str:
        if hasattr(item, "_request") and not item._request:
            item._initrequest()  # as pytest's own loop
        _expect_no_report(item)
        status = self._phase(lambda: item.ihook.pytest_runtest_setup(item=item))
        if status == PASSED:
            status = self._phase(lambda: item.ihook.pytest_runtest_call(item=item), item)
        ended = self._phase(lambda: item.ihook.pytest_runtest_teardown(item=item, nextitem=following))
        if hasattr(item, "_request"):
            item._request, item.funcargs = False, None
        return FAILED if FAILED in (status, ended) else status

    def _phase(self, act: Callable[[], Any], item: Any = None) -> str:
        try:
            act()
        except SKIPS:
            return SKIPPED
        except BaseException as error:
            self.raised = self.raised or error
            return FAILED
        # The tests of unittest keep what they raised for the report.
        kept = getattr(item, "_excinfo", None)
        if not kept:
            return PASSED
        item._excinfo = None
        self.raised = kept[0].value
        return SKIPPED if isinstance(kept[0].value, SKIPS) else FAILED


def _expected(item: Any, status: str) -> str:
    """Of a test that may fail: as the project's own run would count it."""
    from _pytest.skipping import evaluate_xfail_marks

    mark = evaluate_xfail_marks(item)
    if mark is None or status == SKIPPED:
        return status
    return FAILED if status == PASSED and mark.strict else PASSED


def _last_line(report: Any) -> str:
    """What a file could not be collected for: where a traceback marks its error, that line."""
    lines = [line.strip() for line in str(report.longrepr)[-20_000:].splitlines() if line.strip()]
    marked = [line[1:].strip() for line in lines if line.startswith("E ")]
    return (marked or lines or [""])[-1][:MOST_REASON]


def _expect_no_report(item: Any) -> None:
    """The fixture of temporary folders looks for the reports of its test, and nobody makes any here."""
    try:
        from _pytest.tmpdir import tmppath_result_key

        item.stash.setdefault(tmppath_result_key, {})
    except (ImportError, AttributeError):
        pass  # a pytest that keeps none


def _explain_nothing() -> None:
    """Words for a failed comparison take longer than most tests, and nobody reads them here."""
    try:
        from _pytest.assertion import util

        util._reprcompare = None
    except ImportError:
        pass
