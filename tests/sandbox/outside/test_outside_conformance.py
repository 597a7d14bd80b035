"""Every wall of the process level, attacked by programs that have a simulated outside."""

from dataclasses import replace

import pytest

from windtunnel.core.ports import Network
from windtunnel.core.scenario import Outside
from windtunnel.sandbox.bubblewrap import Bubblewrap
from windtunnel.testing import conformance_cases, python_maker

INTERFACES = "N07"
"""Has no interface beside the loopback: the one wall that is given up, for one interface that leads nowhere else."""


class BeforeAnOutside(Bubblewrap):
    """Gives each run that has no network a simulated one."""

    def run(self, job):
        network = Network(outside=Outside()) if job.network == Network() else job.network
        return super().run(replace(job, network=network))


@pytest.fixture(scope="module")
def sandbox():
    made = BeforeAnOutside(pool_size=1)
    yield made
    made.close()


@pytest.mark.slow
@pytest.mark.parametrize("case", [case for case in conformance_cases() if INTERFACES not in str(case)], ids=str)
def test_a_wall_stands_before_an_outside_too(case, sandbox):
    verdict = case.check(sandbox, make_job=python_maker(warm=True))

    if verdict.outcome == "not run":
        pytest.skip(verdict.evidence)
    assert verdict.outcome == "held"
