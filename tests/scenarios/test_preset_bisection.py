import pytest

from windtunnel.core.errors import UsageError
from windtunnel.core.limits import MIB
from windtunnel.scenarios.adapt import Edge, bisect
from windtunnel.scenarios.fields import FIELDS
from windtunnel.scenarios.preset import scenario


class Judge:
    """Breaks where it is told to, and keeps what it was asked."""

    def __init__(self, breaks):
        self.breaks, self.asked = breaks, []

    def __call__(self, one):
        self.asked.append(one)
        return self.breaks(one)


def test_the_edge_of_a_latency_that_breaks_is_found_from_above():
    judge = Judge(lambda one: one.link.delay_seconds > 0.137)

    edge = bisect(scenario({"NETWORK_LATENCY_MS": 500}), "NETWORK_LATENCY_MS", breaks=judge, steps=20)

    assert edge.holds <= 137 < edge.breaks
    assert edge.breaks - edge.holds < 0.01
    assert edge.probes == len(judge.asked) <= 22


def test_the_edge_of_a_latency_that_holds_is_found_from_below():
    edge = bisect(scenario({"NETWORK_LATENCY_MS": 10}), "NETWORK_LATENCY_MS",
                  breaks=lambda one: one.link.delay_seconds > 0.137, steps=6)

    assert edge == Edge(field="NETWORK_LATENCY_MS", holds=133.75, breaks=149.219, probes=8)


def test_sizes_are_halved_by_their_logarithm():
    judge = Judge(lambda one: one.memory_bytes < 100 * MIB)

    edge = bisect(scenario({"MEMORY_LIMIT": "32Mi"}), "MEMORY_LIMIT", breaks=judge, steps=12)

    assert edge.breaks < 100 * MIB <= edge.holds
    assert edge.holds / edge.breaks < 1.01
    assert judge.asked[2].memory_bytes == 512 * MIB


def test_whole_numbers_end_where_nothing_is_between():
    judge = Judge(lambda one: one.security_level >= 4)

    assert bisect(scenario({"SECURITY_LEVEL": 1}), "SECURITY_LEVEL", breaks=judge, steps=64) == Edge(
        field="SECURITY_LEVEL", holds=3.0, breaks=4.0, probes=len(judge.asked))
    assert len(judge.asked) == 4


def test_a_value_that_always_breaks_has_no_edge():
    assert bisect(scenario({"CPU_LIMIT": 1}), "CPU_LIMIT", breaks=lambda one: True, steps=9) == Edge(
        field="CPU_LIMIT", holds=None, breaks=8.0, probes=2)


def test_a_value_that_never_breaks_has_no_edge():
    assert bisect(scenario({"PACKET_LOSS": 1}), "PACKET_LOSS", breaks=lambda one: False, steps=9) == Edge(
        field="PACKET_LOSS", holds=50.0, breaks=None, probes=2)


def test_a_value_beyond_the_end_of_its_ladder_is_tried_alone():
    assert bisect(scenario({"PACKET_LOSS": 90}), "PACKET_LOSS", breaks=lambda one: False, steps=9) == Edge(
        field="PACKET_LOSS", holds=90.0, breaks=None, probes=1)


def test_only_the_field_is_changed_and_a_drawn_rate_stays():
    first = scenario({"NETWORK_LATENCY_MS": 100, "MIN_BANDWIDTH": "1Mbps", "MAX_BANDWIDTH": "9Mbps"}, seed=7)
    judge = Judge(lambda one: one.link.delay_seconds > 0.05)

    bisect(first, "NETWORK_LATENCY_MS", breaks=judge, steps=3)

    assert {one.link.rate_bits for one in judge.asked} == {first.link.rate_bits}


def test_a_drawn_rate_has_an_edge_too():
    first = scenario({"MIN_BANDWIDTH": "10Mbps", "MAX_BANDWIDTH": "20Mbps"})

    edge = bisect(first, "BANDWIDTH_LIMIT", breaks=lambda one: one.link.rate_bits < 3e6, steps=30)

    assert edge.breaks < 3e6 <= edge.holds
    assert edge.holds / edge.breaks < 1.001


@pytest.mark.parametrize("field", [name for name, row in FIELDS.items() if row.harsher is None])
def test_a_field_without_an_order_is_refused(field):
    with pytest.raises(UsageError, match="its values have no order to search"):
        bisect(scenario({}), field, breaks=lambda one: True, steps=3)


def test_a_field_that_the_scenario_does_not_have_is_refused():
    with pytest.raises(UsageError, match="CPU_LIMIT: the scenario does not have it"):
        bisect(scenario({}), "CPU_LIMIT", breaks=lambda one: True, steps=3)


def test_an_unknown_field_is_refused():
    with pytest.raises(UsageError, match="there is no such field"):
        bisect(scenario({}), "LUCK", breaks=lambda one: True, steps=3)


@pytest.mark.parametrize("steps", [0, 65, True, 1.0])
def test_steps_that_are_no_number_of_them_are_refused(steps):
    with pytest.raises(UsageError, match="steps: not a whole number from 1 to 64"):
        bisect(scenario({"CPU_LIMIT": 1}), "CPU_LIMIT", breaks=lambda one: True, steps=steps)
