"""The shipped self-check against the vm level; what cannot be seen from outside a machine is named, not hidden."""

from __future__ import annotations

import pytest

from windtunnel.sandbox.attacks import Outcome
from windtunnel.sandbox.selfcheck import SUITE, run_case
from windtunnel.sandbox.vm.level import HASTY
from windtunnel.testing import python_maker

pytestmark = pytest.mark.xdist_group("vm")
ROWS = {case.row: case for case in SUITE}
TRIES = 3
"""Some acts have little time, which may be over before an emulated program begins; what is not held stays so."""


@pytest.mark.parametrize("row", ROWS)
def test_the_vm_level_conforms(row, vm):
    known = vm.known_exceptions().get(row) is not None
    good = (Outcome.HELD, Outcome.UNPROVEN) if row in HASTY and known else (Outcome.UNPROVEN if known else Outcome.HELD,)

    for _ in range(TRIES):
        verdict = run_case(ROWS[row], sandbox=vm, make_job=python_maker())
        if verdict.outcome in good:
            break

    assert verdict.outcome in good, verdict.evidence


def test_every_known_exception_is_a_row_of_the_suite(vm):
    assert vm.known_exceptions().keys() - ROWS.keys() == set()
