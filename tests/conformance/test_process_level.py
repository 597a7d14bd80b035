import pytest

from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.testing import conformance_cases, python_maker


@pytest.fixture(scope="module")
def sandbox():
    box = Bubblewrap()
    yield box
    box.close()


@pytest.mark.parametrize("case", conformance_cases(), ids=str)
@pytest.mark.parametrize("warm", [False, True], ids=["cold", "warm"])
def test_the_process_level_conforms(case, warm, sandbox):
    verdict = case.check(sandbox, make_job=python_maker(warm=warm))

    if verdict.outcome == "not run":
        pytest.skip(verdict.evidence)
    assert verdict.outcome == "held"
