"""What pytest is told in both kinds of process, and tests that are run in one that loads the project anew."""



from __future__ import annotations

import os
from typing import Any, Iterator, List

import pytest
from windtunnel_mutant_items import alarm, bound_memory, chosen, function  # type: ignore[import-not-found]  # lies beside this file when it runs
from windtunnel_mutant_words import Answer  # type: ignore[import-not-found]  # the same

ONE_PROCESS = {"numprocesses": 0, "dist": "no", "tx": [], "distload": False, "looponfail": False}
"""Options of pytest-xdist, which would start processes of its own."""
wrapper = pytest.hookimpl(hookwrapper=True, tryfirst=True)


class Plugin:
    """One process, no other tracer, ids from the project's folder."""

    def __init__(self) -> None:
        """Nothing is known before pytest says where its root is."""
        self.prefix = ""

    def name(self, item: Any) -> str:
        """As the project's own run names it."""
        return self.prefix + str(item.nodeid)

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
        self.choose_files(config)
        yield

    def choose_files(self, config: Any) -> None:
        """Which files to collect; the project's own choice here."""


class Fresh(Plugin):
    """Collects the files of some tests and runs these as pytest itself does, until one fails.

    A test that is not there any more with the mutant is no failure, as it is none in the project's own run.
    """

    def __init__(self, names: List[str], answer: Answer) -> None:
        """``names`` of tests, the likeliest to notice first."""
        super().__init__()
        self.names, self.answer = names, answer

    def choose_files(self, config: Any) -> None:
        config.args[:] = list(dict.fromkeys(os.path.join(os.getcwd(), name.split("::", 1)[0]) for name in self.names))
        config.option.verbose, config.option.tbstyle, config.option.maxfail = -2, "no", 1

    def pytest_collection_modifyitems(self, items: List[Any]) -> None:
        items[:] = chosen(items, self.names, self.name)

    def pytest_collectreport(self, report: Any) -> None:
        if report.outcome == "failed":
            self.answer.end("killed", by=0)

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self.answer.at(self._number(nodeid))

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.outcome == "failed":
            self.answer.end("killed", by=self._number(str(report.nodeid)))

    def pytest_sessionfinish(self, session: Any, exitstatus: int) -> None:
        nothing = not session.testsfailed and int(exitstatus) == int(pytest.ExitCode.NO_TESTS_COLLECTED)
        if int(exitstatus) == 0 or nothing:
            self.answer.end("survived")
        self.answer.end("killed", by=0)

    def _number(self, name: str) -> int:
        """Of the test with that name, or of one made of the same function."""
        name = self.prefix + name
        if name in self.names:
            return self.names.index(name)
        return next((at for at, one in enumerate(self.names) if function(one) == function(name)), 0)


def run_fresh(arguments: List[str], plugin: Fresh, *, seconds: float, memory: int) -> None:
    """In a copy of a process that has loaded nothing of the project; does not return."""
    alarm(seconds, lambda: plugin.answer.end("timeout"))
    bound_memory(memory)
    code = int(pytest.main(arguments, plugins=[plugin]))
    plugin.answer.end("killed" if code else "survived", by=0)
