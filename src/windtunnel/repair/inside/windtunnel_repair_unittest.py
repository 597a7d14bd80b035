"""Tests of unittest: found by the project's own command line, run one by one."""

from __future__ import annotations

import unittest
from typing import Any, Callable, Dict, List, Optional, Sequence
from unittest.loader import _FailedTest  # type: ignore[attr-defined]  # what stands for a module that does not load

PASSED, FAILED, SKIPPED = "passed", "failed", "skipped"
MOST_REASON = 300


class Result(unittest.TestResult):
    """Keeps the worst that was said of one test."""

    def __init__(self) -> None:
        """Nothing was said."""
        super().__init__()
        self.said: List[str] = []
        self.raised: Optional[BaseException] = None

    def _exc_info_to_string(self, err: Any, test: Any) -> str:
        return ""  # nobody reads it

    def addSuccess(self, test: Any) -> None:  # noqa: N802 -- unittest's own name
        self.said.append(PASSED)

    def addError(self, test: Any, err: Any) -> None:  # noqa: N802 -- the same
        self._fail(err)

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802 -- the same
        self._fail(err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802 -- the same
        if err is not None:
            self._fail(err)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802 -- the same
        self.said.append(SKIPPED)

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802 -- the same
        self.said.append(PASSED)

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802 -- the same
        self.said.append(FAILED)

    def _fail(self, error: Any) -> None:
        self.said.append(FAILED)
        self.raised = error[1]

    @property
    def status(self) -> str:
        """Of several the worst; a test that said nothing did not pass."""
        return next((one for one in (FAILED, SKIPPED, PASSED) if one in self.said), FAILED)


class _Collected(Exception):
    """Ends the command line where the tests would be run."""


class Tests:
    """The same face as that of pytest's tests."""

    def __init__(self, ready: Callable[[Tests], None], collected: Callable[[Tests], None]) -> None:
        """``ready`` is called before anything is collected, ``collected`` after; neither needs to return."""
        self.ready, self.collected = ready, collected
        self.items: List[Any] = []
        self.broken: Dict[str, str] = {}
        self.raised: Optional[BaseException] = None
        self.result = Result()

    def start(self, arguments: List[str]) -> None:
        """Does not return where the callers' functions do not."""
        tests = self

        class Runner(unittest.TextTestRunner):
            def run(self, test: Any) -> Any:
                tests._take(_flat(test))
                raise _Collected

        self.ready(self)
        unittest.main(module=None, argv=["python -m unittest", *arguments], testRunner=Runner, exit=False)

    def _take(self, items: List[Any]) -> None:
        for item in items:
            if isinstance(item, _FailedTest):
                error = getattr(item, "_exception", None)
                self.broken[self.name(item)] = str(error).strip().splitlines()[-1][:MOST_REASON] if error else ""
        self.items = [item for item in items if not isinstance(item, _FailedTest)]
        self.collected(self)

    def name(self, item: Any) -> str:
        """As the project's own run names it."""
        return str(item._testMethodName if isinstance(item, _FailedTest) else item.id())

    def narrow(self, names: Sequence[str]) -> None:
        """All are collected: a name does not tell where its file is."""

    def chosen(self, names: Sequence[str]) -> Dict[str, List[Any]]:
        """The tests of each name: one, or for a module all of its tests."""
        by_name: Dict[str, List[Any]] = {}
        for item in self.items:
            by_name.setdefault(self.name(item), []).append(item)
            by_name.setdefault(type(item).__module__, []).append(item)
        return {name: by_name.get(name, []) for name in names}

    def run(self, item: Any, following: Any) -> str:
        """One test with the set-up of its class and module; ``following`` keeps what the next one uses too."""
        result = Result()
        suite = unittest.TestSuite()
        for name in ("_previousTestClass", "_moduleSetUpFailed", "_testRunEntered"):
            if hasattr(self.result, name):
                setattr(result, name, getattr(self.result, name))
        result._testRunEntered = True  # type: ignore[attr-defined]  # so that the suite does not end with its class
        try:
            suite._tearDownPreviousClass(item, result)  # type: ignore[attr-defined]  # as the suite itself does
            suite._handleModuleFixture(item, result)  # type: ignore[attr-defined]  # the same
            suite._handleClassSetUp(item, result)  # type: ignore[attr-defined]  # the same
            result._previousTestClass = type(item)  # type: ignore[attr-defined]  # the same
            if not getattr(type(item), "_classSetupFailed", False) and not getattr(result, "_moduleSetUpFailed", False):
                item(result)
            if following is None:
                suite._tearDownPreviousClass(None, result)  # type: ignore[attr-defined]  # the same
                suite._handleModuleTearDown(result)  # type: ignore[attr-defined]  # the same
        except BaseException as error:
            self.raised = error
            return FAILED
        self.result, self.raised = result, result.raised
        return result.status

    def forget_folder(self) -> None:
        """It makes none."""


def _flat(suite: Any) -> List[Any]:
    try:
        parts = iter(suite)
    except TypeError:
        return [suite]
    return [test for part in parts for test in _flat(part)]


