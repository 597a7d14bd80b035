"""Runs pytest and sends a sealed record for everything that happens.

pytest and all that decides a result are loaded before any path of the project can be found; then ``pytest.main`` is
called with the arguments that a person would give. Valid from Python 3.8 and pytest 6 on.
"""

# ruff: noqa: PLC0415 -- a process that a test spawns may load this file too, and needs none of it

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windtunnel.checks.inside.windtunnel_guard import Guard

HOT = ("call_and_report", "call_runtest_hook", "runtestprotocol", "pytest_runtest_protocol", "pytest_runtest_setup",
       "pytest_runtest_call", "pytest_runtest_teardown", "pytest_runtest_makereport", "check_interactive_exception",
       "CallInfo", "SetupState", "BaseReport", "TestReport", "CollectReport", "pytest_pyfunc_call", "Function",
       "pytest_pycollect_makeitem", "raises", "approx", "RaisesContext", "RaisesExc", "fail", "skip", "xfail",
       "_multicall", "evaluate_xfail_marks", "evaluate_skip_marks", "_call_reprcompare", "rewrite_asserts",
       "HookCaller", "_HookCaller", "TestCaseFunction", "TestCase")
"""Looked at after each test; everything else of these modules is looked at after the collection and at the end."""
MODULES = ("_pytest.runner", "_pytest.reports", "_pytest.python", "_pytest.python_api", "_pytest.raises",
           "_pytest.outcomes", "_pytest.skipping", "_pytest.main", "_pytest.nodes", "_pytest.unittest",
           "_pytest.assertion", "_pytest.assertion.rewrite", "_pytest.assertion.util", "_pytest.fixtures",
           "pluggy._callers", "pluggy._hooks", "pluggy._manager", "pluggy.callers", "pluggy.hooks", "pluggy.manager",
           "unittest.case")

EARLY = ("difflib", "hmac", "pickle", "pprint", "random", "secrets", "subprocess", "tempfile")
"""What plugins and pytest load late: a file of that name in the project shall not break the run."""


def watch(guard: Guard) -> None:
    """Load everything that a result rests on, and remember it; what this version does not have is left out."""
    import _pytest.config

    for name in [*EARLY, *("_pytest." + name for name in getattr(_pytest.config, "default_plugins", ()))]:
        importlib.import_module(name)
    for name in MODULES:
        try:
            guard.add_module(importlib.import_module(name), hot=HOT)
        except ImportError:
            continue


def arguments(options: dict[str, Any]) -> list[str]:
    """What pytest is called with; a file that cannot be loaded does not keep the others from running."""
    added = ["-x"] if options["fail_fast"] else ["--continue-on-collection-errors"]
    if options["pattern"] is not None:
        added += ["-k", options["pattern"]]
    own = list(options["args"])
    at = own.index("--") if "--" in own else len(own)
    return own[:at] + added + own[at:]


def main() -> int:
    """Run the tests; the exit code is pytest's own."""
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import windtunnel_guard  # type: ignore[import-not-found]  # lies beside this file when it runs
    import windtunnel_pytest_reporter as reports  # type: ignore[import-not-found]  # the same
    import windtunnel_seal as seal  # type: ignore[import-not-found]  # the same
    import windtunnel_trace  # type: ignore[import-not-found]  # the same

    del sys.path[0]
    import pytest

    send, options = seal.sender((windtunnel_guard, reports, sys.modules[__name__])), seal.options()
    guard = windtunnel_guard.Guard(send)
    watch(guard)
    guard.add_class(reports.Reporter)
    guard.add_class(reports.Alarm)
    for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS"):
        os.environ.pop(name, None)
    send("begin", tool="pytest", version=pytest.__version__)
    tracer = windtunnel_trace.Tracer(os.getcwd()) if options["trace"] else None
    reporter = reports.Reporter(send, guard, tracer=tracer, options=options)
    seal.hide("pytest")
    seal.open_paths(current=options["module"])
    sys.argv = ["pytest", *options["args"]]
    code = int(pytest.main(arguments(options), plugins=[reporter]))
    if tracer is not None:
        tracer.stop()
    guard.finish("at the end")
    send("end", exit=code, count=reporter.count, stopped=reporter.stopped[:200])
    return code


if __name__ == "__main__":
    sys.exit(main())
