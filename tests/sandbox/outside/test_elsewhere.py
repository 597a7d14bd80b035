"""Levels without a simulated outside refuse it."""

import pytest

from windtunnel.core.errors import IsolationUnavailable
from windtunnel.core.ports import Network
from windtunnel.core.result import Level
from windtunnel.core.scenario import Outside
from windtunnel.sandbox.container.sandbox import Container
from windtunnel.sandbox.outside.elsewhere import refuse_outside
from windtunnel.sandbox.restricted import Restricted
from windtunnel.sandbox.vm.request import check


@pytest.fixture
def simulated(job):
    return job("print(1)", network=Network(outside=Outside()))


def test_the_refusal_says_which_level_would_do(simulated):
    with pytest.raises(IsolationUnavailable) as refused:
        refuse_outside(simulated, level=Level.CONTAINER)

    assert str(refused.value) == (
        "the container level has no simulated outside; leave it out, or take the process level")


def test_the_restricted_level_refuses_it(simulated):
    with pytest.raises(IsolationUnavailable, match="the restricted level has no simulated outside"):
        Restricted().run(simulated)


def test_the_vm_level_refuses_it(simulated):
    with pytest.raises(IsolationUnavailable, match="the vm level has no simulated outside"):
        check(simulated)


def test_the_container_level_refuses_it_before_it_asks_an_engine(simulated):
    with pytest.raises(IsolationUnavailable, match="the container level has no simulated outside"):
        Container(object(), image=lambda _: None).run(simulated)
