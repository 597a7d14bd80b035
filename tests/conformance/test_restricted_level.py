"""The whole suite against the restricted level: what it does not hold is listed with its reason, and nothing else."""

import functools
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.language import Toolchain
from windtunnel.languages import python
from windtunnel.sandbox.identity import HostUser
from windtunnel.sandbox.restricted import Restricted, facts
from windtunnel.sandbox.selfcheck import SUITE, python_jobs, run_case
from windtunnel.sandbox.shortfalls import UNCERTAIN, shortfalls
from windtunnel.testing import Case, conformance_cases, python_maker

OLDER = 5
"""A Landlock that does not hold signals back; the rules for it are tried on a newer one."""


@functools.cache
def maker():
    """Jobs for a Python that root's throw-away user can reach; root's own may lie where nobody else gets."""
    if os.geteuid() != 0:
        return python_maker()
    user = HostUser()
    user.release()
    for interpreter in (os.path.realpath(sys.executable), "/usr/bin/python3"):
        probe = "import sys; print(sys.prefix)"
        try:
            done = subprocess.run([interpreter, "-c", probe], capture_output=True, text=True, env={}, cwd="/", check=True, user=user.uid)
        except (OSError, subprocess.CalledProcessError):
            continue
        prefix = done.stdout.strip()
        return python_jobs(python.LANGUAGE, Toolchain(run=(interpreter, "{source}"), paths=() if prefix == "/usr" else (prefix,)))
    return None


@functools.cache
def known():
    """What this machine is known not to hold; None where the level cannot be raised at all."""
    sandbox = Restricted()
    try:
        return sandbox.known_exceptions()
    except IsolationUnavailable:
        return None
    finally:
        sandbox.close()


@pytest.fixture(scope="module")
def sandbox():
    box = Restricted()
    yield box
    box.close()


@pytest.fixture(scope="module")
def older():
    box = Restricted(facts=replace(facts(), landlock=OLDER))
    yield box
    box.close()


@pytest.fixture
def make_job():
    if known() is None:
        pytest.skip("the restricted level cannot be raised here")
    return maker() or pytest.skip("no Python that root's throw-away user can reach (install one in /usr)")


@pytest.mark.parametrize("case", conformance_cases(exceptions=known()), ids=str)
def test_the_restricted_level_conforms(case, sandbox, make_job):
    if case.exception is not None and case.row in UNCERTAIN:
        verdict = run_case(case.subject, sandbox=sandbox, make_job=make_job)
        assert verdict.outcome in ("held", "not held"), verdict.evidence
        return
    verdict = case.check(sandbox, make_job=make_job)

    assert verdict.outcome == ("held" if case.exception is None else "not held"), verdict.evidence


@pytest.mark.parametrize("row", ["K01", "S02", "N03", "R13", "H10"])
def test_with_an_older_landlock_it_conforms_too(row, older, make_job):
    subject = next(one for one in SUITE if one.row == row)
    case = Case(row=row, subject=subject, exception=older.known_exceptions().get(row))

    verdict = case.check(older, make_job=make_job)

    assert verdict.outcome == ("held" if case.exception is None else "not held"), verdict.evidence


@pytest.mark.parametrize(("machine", "expected"), [
    ({}, ""),
    ({"landlock": 5}, "H10 R13"),
    ({"grouped": False}, "R02"),
    ({"throw_away": False}, "K10"),
    ({"grouped": False, "throw_away": False}, "K10 R02 R05 R06 R17"),
])
def test_a_lesser_machine_holds_less_and_says_so(machine, expected):
    best = {"landlock": 6, "grouped": True, "throw_away": True}

    more = shortfalls(**{**best, **machine}).keys() - shortfalls(**best).keys()

    assert " ".join(sorted(more)) == expected


def test_every_known_exception_is_a_row_of_the_suite():
    rows = shortfalls(landlock=0, grouped=False, throw_away=False).keys()

    assert rows - {one.row for one in SUITE} == set()
