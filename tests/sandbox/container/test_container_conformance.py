"""The shipped self-check against containers: all of it by Docker's socket, the rows that differ by every other way."""

from __future__ import annotations

import containers
import pytest

from windtunnel.sandbox.attacks import Outcome
from windtunnel.sandbox.selfcheck import SUITE
from windtunnel.testing import Case, python_maker

pytestmark = pytest.mark.xdist_group("containers")
DIFFERENT = ("F10", "K16", "F09", "K03", "N06", "R05")
"""Rows about what each engine sets up in its own way: /proc, namespaces, the root, the filter, the number of processes."""
ROWS = {case.row: case for case in SUITE}


@pytest.fixture(scope="module")
def sandbox(docker_engine):
    """Without a pool: that clears away behind a run, and a folder of ours still mounted would look like the host's."""
    made = containers.make_container(docker_engine)
    yield made
    made.close()


def outcome(sandbox, row):
    case = Case(row=row, subject=ROWS[row], exception=sandbox.known_exceptions().get(row))
    return case.check(sandbox, make_job=python_maker()), case.exception


@pytest.mark.parametrize("row", ROWS)
def test_the_container_level_conforms(row, sandbox):
    verdict, exception = outcome(sandbox, row)

    if verdict.outcome is Outcome.NOT_RUN:
        pytest.skip(verdict.evidence)
    assert verdict.outcome is (Outcome.HELD if exception is None else Outcome.NOT_HELD), verdict.evidence


@pytest.mark.parametrize("engine", containers.OTHERS, indirect=True)
@pytest.mark.parametrize("row", DIFFERENT)
def test_every_other_way_conforms_where_engines_differ(row, each):
    verdict, exception = outcome(each, row)

    assert verdict.outcome is (Outcome.HELD if exception is None else Outcome.NOT_HELD), verdict.evidence


def test_every_known_exception_is_a_row_of_the_suite(sandbox):
    assert sandbox.known_exceptions().keys() - ROWS.keys() == set()
