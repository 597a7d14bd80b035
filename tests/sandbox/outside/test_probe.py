"""What the probe of a link measures, in words and in the sandbox."""

import json

import pytest

from windtunnel.core.errors import SandboxFailure
from windtunnel.core.limits import Limits
from windtunnel.core.ports import Network
from windtunnel.core.scenario import Condition, Fault, Link, Outside
from windtunnel.sandbox.outside import fault_probe, probe
from windtunnel.sandbox.outside.conditions import conditions

ROOMY = Limits(output_bytes=1 << 22)


@pytest.fixture
def measure(box, job):
    def once(link, count=200):
        result = box.run(job(probe.PROGRAM, network=Network(outside=probe.probed(Outside(link=link, seed=3))), limits=ROOMY,
                             command={"stdin": probe.wishes(link, count=count)}))
        assert result.stderr == ""
        return probe.read(result.stdout_bytes, link)

    return once


def told(trips, sent, train=()):
    return json.dumps({"sent": sent, "trips": trips, "train": list(train)}).encode()


def by_name(found):
    return {one.name: one for one in found}


# --- reading ---

def test_the_delay_is_half_of_the_median_round_trip():
    trips = [(number, 0.1 + 0.001 * number) for number in range(21)]

    measured = probe.read(told(trips, 21), Link())

    assert measured.delay_seconds == pytest.approx(0.055)
    assert (measured.sent, measured.answered, measured.repeated, measured.loss, measured.duplication) == (21, 21, 0, 0.0, 0.0)


def test_the_time_that_a_packet_itself_takes_is_no_delay():
    link = Link(rate_bits=60_000)

    assert probe.read(told([(number, 0.016) for number in range(20)], 20), link).delay_seconds == pytest.approx(0.0)


@pytest.mark.parametrize(("loss", "duplication"), [(0.0, 0.0), (0.1, 0.0), (0.0, 0.2), (0.3, 0.4), (0.02, 0.01), (0.9, 0.5)])
def test_loss_and_duplication_are_told_apart(loss, duplication):
    unanswered = loss + (1 - loss) * ((1 - duplication) * loss + duplication * loss ** 2)
    copies = ((1 - loss) * (1 + duplication)) ** 2

    assert probe.chances(unanswered=unanswered, copies=copies) == pytest.approx((loss, duplication), abs=1e-6)


def test_all_lost_is_a_loss_of_one():
    measured = probe.read(told([], 50), Link(loss=1.0))

    assert (measured.loss, measured.duplication, measured.delay_seconds, measured.rate_bits) == (1.0, 0.0, None, None)


def test_early_answers_are_those_that_were_reordered():
    trips = [(number, 0.1 if number % 25 == 0 else 0.2) for number in range(100)]

    measured = probe.read(told(trips, 100), Link(delay_seconds=0.1))

    assert measured.reordering == pytest.approx(1 - 0.96 ** 0.5)
    assert measured.delay_seconds == pytest.approx(0.1)


def test_the_rate_is_that_of_the_middle_of_the_train():
    train = [0.0, 0.0, *(0.001 * number for number in range(96)), 9.0, 9.0]

    assert probe.read(told([(0, 0.1)], 1, train), Link(rate_bits=1e7)).rate_bits == pytest.approx(1400 * 8 / 0.001)


@pytest.mark.parametrize("output", [b"", b"{}", b"[]", b'{"sent": 1, "trips": [[0]], "train": []}', b"\xff"])
def test_other_output_is_a_failure_of_the_probe(output):
    with pytest.raises(SandboxFailure):
        probe.read(output, Link())


# --- conditions ---

def measured_as(link, **other):
    figures = {"sent": 400, "answered": 400, "repeated": 0, "delay_seconds": link.delay_seconds,
               "jitter_seconds": link.jitter_seconds, "loss": link.loss, "duplication": link.duplication, "reordering": None,
               "rate_bits": link.rate_bits}
    return probe.Measured(**figures | other)


def test_every_figure_is_told_with_what_was_measured():
    link = Link(delay_seconds=0.025, jitter_seconds=0.001, loss=0.05, duplication=0.01, reordering=0.1, rate_bits=1e6)

    found = conditions(Outside(link=link), measured_as(link, delay_seconds=0.0253, reordering=0.09, rate_bits=990_000.4))

    assert found == tuple(
        Condition(name=name, requested=requested, measured=measured, real=True) for name, requested, measured in (
            ("NETWORK_LATENCY_MS", "25", "25.30"), ("NETWORK_JITTER_MS", "1", "1.00"), ("PACKET_LOSS", "0.05", "0.0500"),
            ("PACKET_DUPLICATION", "0.01", "0.0100"), ("PACKET_REORDERING", "0.1", "0.0900"),
            ("BANDWIDTH_LIMIT", "1000000", "990000")))


@pytest.mark.parametrize(("name", "link", "other"), [
    ("NETWORK_LATENCY_MS", Link(delay_seconds=0.1), {"delay_seconds": 0.11}),
    ("NETWORK_LATENCY_MS", Link(delay_seconds=0.1), {"delay_seconds": None}),
    ("NETWORK_JITTER_MS", Link(delay_seconds=0.1, jitter_seconds=0.02), {"jitter_seconds": 0.03}),
    ("PACKET_LOSS", Link(loss=0.1), {"loss": 0.2}),
    ("PACKET_LOSS", Link(), {"loss": 0.03}),
    ("PACKET_DUPLICATION", Link(duplication=0.5), {"duplication": 0.3}),
    ("PACKET_REORDERING", Link(reordering=0.5), {}),
    ("PACKET_REORDERING", Link(reordering=0.5, delay_seconds=0.1, jitter_seconds=0.1), {}),
    ("BANDWIDTH_LIMIT", Link(rate_bits=1e6), {"rate_bits": 5e5}),
    ("BANDWIDTH_LIMIT", Link(rate_bits=1e6), {"rate_bits": None}),
])
def test_a_figure_that_does_not_hold_is_said_not_to_be_real(name, link, other):
    found = by_name(conditions(Outside(link=link), measured_as(link, **other)))

    assert not found[name].real
    assert found[name].reason


def test_jitter_larger_than_the_delay_is_compared_with_what_is_left_of_it():
    link = Link(jitter_seconds=0.1)  # half of a normal distribution: deviation 0.5838

    found = by_name(conditions(Outside(link=link), measured_as(link, jitter_seconds=0.05838, delay_seconds=0.0399)))

    assert (found["NETWORK_JITTER_MS"].real, found["NETWORK_LATENCY_MS"].real) == (True, True)


def test_what_was_not_measured_is_said_not_to_be_real():
    found = conditions(Outside(), None)

    assert {(one.real, one.measured, one.reason) for one in found} == {(False, "", "it was not measured")}


def test_in_a_partition_no_figure_holds():
    found = conditions(Outside(faults=frozenset({Fault.PARTITION})), measured_as(Link()))

    assert {(one.real, one.reason) for one in found} == {(False, "nothing arrives in a partition")}


# --- in the sandbox ---

def test_the_probe_sees_the_delay(measure):
    measured = measure(Link(delay_seconds=0.02))

    assert measured.delay_seconds >= 0.02
    assert (measured.answered, measured.repeated) == (200, 0)


def test_the_probe_sees_loss_and_duplication(measure):
    measured = measure(Link(loss=0.3, duplication=0.3), count=400)

    assert (measured.loss, measured.duplication) == (pytest.approx(0.3, abs=0.12), pytest.approx(0.3, abs=0.15))


def test_the_probe_sees_the_rate(measure):
    measured = measure(Link(rate_bits=2e6))

    assert measured.rate_bits == pytest.approx(2e6, rel=0.25)


@pytest.mark.parametrize("fault", sorted({
    Fault.TIMEOUT, Fault.PARTITION, Fault.REFUSED_CONNECTIONS, Fault.RESET_CONNECTIONS, Fault.SLOW_CONNECTIONS,
    Fault.DNS_FAILURE, Fault.KILLED_DEPENDENCY}))
def test_each_fault_is_met_by_its_probe(box, job, fault):
    outside = Outside(faults=frozenset({fault}))

    result = box.run(job(fault_probe.PROGRAM, network=Network(outside=outside), command={"stdin": fault_probe.wishes(outside)}))

    (found,) = fault_probe.fault_conditions(outside, result.stdout_bytes)
    assert (found.name, found.requested, found.real, found.reason) == (f"FAILURE_MODES:{fault}", str(fault), True, "")


def test_no_fault_is_met_where_there_is_none(box, job):
    result = box.run(job(fault_probe.PROGRAM, network=Network(outside=Outside()),
                         command={"stdin": fault_probe.wishes(Outside())}))

    blamed = Outside(faults=frozenset({Fault.TIMEOUT, Fault.DNS_FAILURE, Fault.SLOW_CONNECTIONS}))
    assert [one.real for one in fault_probe.fault_conditions(blamed, result.stdout_bytes)] == [False, False, False]


def test_a_fault_behind_another_is_said_to_be_hidden():
    outside = Outside(faults=frozenset({Fault.PARTITION, Fault.RESET_CONNECTIONS}))

    found = by_name(fault_probe.fault_conditions(outside, b'{"open": "TimeoutError", "datagram": "TimeoutError"}'))

    assert found["FAILURE_MODES:partition"].real
    assert found["FAILURE_MODES:reset_connections"].reason == "partition hides it"


def test_other_output_is_a_failure_of_the_fault_probe():
    with pytest.raises(SandboxFailure):
        fault_probe.fault_conditions(Outside(), b"[1]")
