"""The shipped self-check against the vm level; what cannot be seen from outside a machine is named, not hidden."""

from __future__ import annotations

import pytest

from windtunnel.sandbox.attacks import Outcome
from windtunnel.sandbox.selfcheck import SUITE, run_case
from windtunnel.testing import python_maker

pytestmark = pytest.mark.xdist_group("vm")
ROWS = {case.row: case for case in SUITE}
UNCERTAIN = ("R15",)
"""Decided by how fast this machine emulates another."""


@pytest.mark.parametrize("row", ROWS)
def test_the_vm_level_conforms(row, vm):
    exception = vm.known_exceptions().get(row)

    verdict = run_case(ROWS[row], sandbox=vm, make_job=python_maker())

    if row in UNCERTAIN:
        assert verdict.outcome in (Outcome.HELD, Outcome.UNPROVEN), verdict.evidence
    else:
        assert verdict.outcome is (Outcome.HELD if exception is None else Outcome.UNPROVEN), verdict.evidence


def test_every_known_exception_is_a_row_of_the_suite(vm):
    assert vm.known_exceptions().keys() - ROWS.keys() == set()
