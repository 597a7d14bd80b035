"""The search against small programs with one fault each: the first proposal that passes the tests is right, and comes early."""

from __future__ import annotations

import pytest
from search_program import outcome
from search_programs import excess, missing, mixed, names, operators, values

MOST = {operators: 40, names: 120, values: 400, excess: 100, missing: 700, mixed: 1500}
"""How many proposals are tried, by sort of fault."""
UNREPAIRED = "what is missing stands nowhere in the code or its tests, or takes more than two edits"
UNLUCKY = "something else passes the few tests first"
KNOWN = {
    "caesar shift": UNREPAIRED, "mode of payment": UNREPAIRED, "median": UNREPAIRED,
    "fewest coins": UNLUCKY, "topological order": UNLUCKY, "ring buffer": UNLUCKY,
}


def cases():
    for table, most in MOST.items():
        for program in table.PROGRAMS:
            marks = [pytest.mark.xfail(run=False, reason=KNOWN[program.name])] if program.name in KNOWN else []
            yield pytest.param(program, most, id=program.name, marks=marks)


@pytest.mark.parametrize(("program", "most"), list(cases()))
def test_the_first_edit_that_passes_the_tests_is_right_on_other_inputs_too(program, most):
    found = outcome(program, most)

    assert (found.rank is not None, found.right) == (True, True), found
