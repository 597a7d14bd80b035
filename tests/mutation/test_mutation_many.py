"""Ten thousand mutants: what is sent, held and drawn stays bounded."""

from __future__ import annotations

import json

import pytest
from mutations import judge, write

from windtunnel.core.mutation import Fate, State
from windtunnel.mutation.screening import screened
from windtunnel.mutation.table import rows

pytestmark = pytest.mark.timeout(600)
LINES = 1000
SUM = " + ".join(f"a[{number}] * b" for number in range(5))
SOURCE = "def total(a, b):\n    found = 0\n" + "".join(f"    found += {SUM} - {at} - a[{at}] * b\n" for at in range(LINES)) + "    return found\n"


def test_the_table_of_ten_thousand_mutants_is_a_few_megabytes():
    found = screened(SOURCE.encode(), path="many.py", operators=("arithmetic",)).mutants

    table = json.dumps(rows(found, {"many.py": SOURCE.encode()}))

    assert len(found) > 10_000
    assert len(table) < 400 * len(found)


@pytest.mark.slow
def test_a_few_of_ten_thousand_are_judged_and_say_something_of_all(tunnel, tmp_path):
    tests = "import many\n\n\ndef test_total():\n    assert many.total(list(range(2000)), 1) is not None\n"
    project = write(tmp_path, {"many.py": SOURCE, "test_many.py": tests})

    result = judge(tunnel, project, operators=("arithmetic",), most=12)

    assert (result.state, result.tries, result.counts[Fate.NOT_JUDGED]) == (State.JUDGED, 12, len(result.judged) - 12)
    assert result.estimate.low <= result.estimate.share <= result.estimate.high
