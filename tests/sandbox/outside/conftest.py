import pytest

from windtunnel.core.ports import Network
from windtunnel.core.scenario import Link, Outside
from windtunnel.sandbox.bubblewrap import Bubblewrap


@pytest.fixture(scope="package")
def box():
    made = Bubblewrap(pool_size=1)
    yield made
    made.close()


@pytest.fixture
def run(box, job):
    """One program with a simulated outside; the link's figures, faults and ports by their names."""

    def once(code, *, faults=(), ports=None, seed=1, limits=None, **link):
        options = {} if ports is None else {"ports": ports}
        outside = Outside(link=Link(**link), faults=frozenset(faults), seed=seed, **options)
        return box.run(job(code, network=Network(outside=outside), limits=limits))

    return once
