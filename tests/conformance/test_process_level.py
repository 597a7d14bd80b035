import pytest

from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.sandbox.cgroups import find
from windtunnel.testing import conformance_cases, python_maker


@pytest.fixture(scope="module")
def sandbox():
    box = Bubblewrap()
    yield box
    box.close()


def exceptions():
    groups = find()
    if groups is None:
        return {"R04": "pipes are counted by control groups alone"}
    groups.close()
    return {}


@pytest.mark.parametrize("case", conformance_cases(exceptions=exceptions()), ids=str)
@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
def test_the_process_level_conforms(case, warm, sandbox):
    verdict = case.check(sandbox, make_job=python_maker(warm=warm))

    if verdict.outcome == "not run" or case.exception:
        pytest.skip(case.exception or verdict.evidence)
    assert verdict.outcome == "held"
