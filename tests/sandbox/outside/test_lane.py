"""When packets arrive, as arithmetic."""

import pytest

from windtunnel.core.scenario import Link
from windtunnel.sandbox.outside.lane import Lane


def arrivals(link, *, packets=1, size=1000, seed="one", every=0.0):
    lane = Lane(link, seed=seed)
    return [lane.arrivals(size, 10.0 + every * number) for number in range(packets)]


def test_a_link_without_figures_delivers_at_once():
    assert arrivals(Link(), packets=3) == [[10.0], [10.0], [10.0]]


def test_a_packet_arrives_after_its_delay():
    assert arrivals(Link(delay_seconds=0.25)) == [[10.25]]


def test_at_a_rate_each_packet_waits_for_the_one_before():
    assert arrivals(Link(rate_bits=8192, delay_seconds=1.0), size=256, packets=3) == [[11.25], [11.5], [11.75]]


def test_a_line_that_was_idle_is_free_at_once():
    assert arrivals(Link(rate_bits=8192), size=256, packets=2, every=1.0) == [[10.25], [11.25]]


def test_a_line_holds_a_fifth_of_a_second_and_drops_the_rest():
    lane = Lane(Link(rate_bits=8_000_000), seed="one")

    arrived = [lane.arrivals(1000, 10.0) for _ in range(300)]

    assert (sum(map(len, arrived)), lane.full) == (201, 99)


def test_a_slow_line_holds_64_kibibytes():
    lane = Lane(Link(rate_bits=8192), seed="one")

    arrived = [lane.arrivals(1024, 10.0) for _ in range(100)]

    assert (sum(map(len, arrived)), lane.full) == (65, 35)


@pytest.mark.parametrize(("link", "expected"), [(Link(loss=1.0), []), (Link(duplication=1.0), [10.0, 10.0])])
def test_a_chance_of_one_is_certain(link, expected):
    assert arrivals(link) == [expected]


def test_a_packet_out_of_order_does_not_wait_for_its_delay():
    assert arrivals(Link(delay_seconds=0.5, reordering=1.0)) == [[10.0]]


def test_no_jitter_brings_a_packet_before_it_left():
    arrived = arrivals(Link(delay_seconds=0.001, jitter_seconds=1.0), packets=500)

    assert min(arrived) == [10.0]


def test_the_shares_are_those_asked_for():
    lane = Lane(Link(loss=0.1, duplication=0.2), seed="shares")

    copies = [len(lane.arrivals(100, 0.0)) for _ in range(100_000)]

    assert copies.count(0) == pytest.approx(10_000, abs=500)
    assert copies.count(2) == pytest.approx(18_000, abs=700)
    assert (lane.lost, lane.doubled) == (copies.count(0), copies.count(2))


def test_the_deviation_is_the_one_asked_for():
    arrived = [one[0] - 10.0 for one in arrivals(Link(delay_seconds=0.1, jitter_seconds=0.02), packets=50_000)]
    mean = sum(arrived) / len(arrived)
    deviation = (sum((one - mean) ** 2 for one in arrived) / len(arrived)) ** 0.5

    assert (mean, deviation) == (pytest.approx(0.1, rel=0.01), pytest.approx(0.02, rel=0.02))


def test_the_same_seed_has_the_same_fates():
    link = Link(loss=0.3, duplication=0.3, reordering=0.3, delay_seconds=0.1, jitter_seconds=0.05)

    assert arrivals(link, packets=200) == arrivals(link, packets=200)
    assert arrivals(link, packets=200) != arrivals(link, packets=200, seed="two")
