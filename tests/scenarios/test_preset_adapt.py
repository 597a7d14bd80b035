import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.core.scenario import Edge
from windtunnel.scenarios.adapt import adapt_presets, next_rung
from windtunnel.scenarios.generate import generate_presets
from windtunnel.scenarios.preset import preset, scenario

MIDDLE = {"CPU_LIMIT": 1, "MEMORY_LIMIT": "512Mi", "DISK_LIMIT": "64Mi", "NETWORK_LATENCY_MS": 100,
          "MIN_BANDWIDTH": "5Mbps", "MAX_BANDWIDTH": "50Mbps", "BANDWIDTH_LIMIT": "10Mbps"}
STALLED, GAINING = (0.5, 0.0, 0.01, -0.02), (0.0, 0.1, 0.2, 0.1)


def adapted(given, *arguments, **options):
    (made,) = adapt_presets([scenario(given)], *arguments, **options)
    return {name: value for name, value in preset(made).items() if name != "SCENARIO_NAME"}


def test_stalled_gains_raise_processors_memory_and_bandwidth_by_a_rung():
    assert adapted(MIDDLE, STALLED) == MIDDLE | {
        "CPU_LIMIT": 2, "MEMORY_LIMIT": "1Gi", "MIN_BANDWIDTH": "10Mbps", "MAX_BANDWIDTH": "100Mbps",
        "BANDWIDTH_LIMIT": "50Mbps"}


def test_gains_that_resume_lower_them_by_a_rung():
    assert adapted(MIDDLE, GAINING) == MIDDLE | {
        "CPU_LIMIT": 0.5, "MEMORY_LIMIT": "256Mi", "MIN_BANDWIDTH": "1Mbps", "MAX_BANDWIDTH": "10Mbps",
        "BANDWIDTH_LIMIT": "5Mbps"}


def test_what_was_raised_is_lowered_to_where_the_run_began_and_no_further():
    first = [scenario(MIDDLE)]
    raised = adapt_presets(first, STALLED)
    lowered = adapt_presets(raised, GAINING, first=first)

    assert preset(raised[0]) != preset(first[0])
    assert preset(lowered[0]) == preset(first[0])
    assert adapt_presets(lowered, GAINING, first=first) == lowered


def test_positive_synergy_lowers_the_latency_and_raises_the_most_bandwidth():
    assert adapted(MIDDLE, (), (0.1, 0.2, 0.3)) == MIDDLE | {"NETWORK_LATENCY_MS": 50, "MAX_BANDWIDTH": "100Mbps"}


def test_negative_synergy_does_the_opposite():
    assert adapted(MIDDLE, (), (-0.1, -0.2, -0.3)) == MIDDLE | {"NETWORK_LATENCY_MS": 200, "MAX_BANDWIDTH": "10Mbps"}


def test_negative_synergy_goes_below_where_the_run_began():
    first = [scenario(MIDDLE)]

    (made,) = adapt_presets(first, (), (-1, -1, -1), first=first)

    assert preset(made)["MAX_BANDWIDTH"] == "10Mbps"


def test_returns_and_synergy_move_the_same_field_one_after_the_other():
    assert adapted({"MAX_BANDWIDTH": "10Mbps"}, STALLED, (1, 1, 1)) == {"MAX_BANDWIDTH": "100Mbps"}


@pytest.mark.parametrize(("returns", "synergy"), [((), ()), ((0.0, 0.0), (5.0,)), ((), (0.01, -0.01, 0.0))])
def test_too_little_history_and_synergy_of_nothing_change_nothing(returns, synergy):
    assert adapted(MIDDLE, returns, synergy) == MIDDLE


def test_fields_that_a_preset_does_not_have_stay_away():
    assert adapted({"DISK_LIMIT": "64Mi"}, STALLED, (1, 1, 1)) == {"DISK_LIMIT": "64Mi"}


def test_the_least_bandwidth_never_passes_the_most():
    assert adapted({"MIN_BANDWIDTH": "1Gbps", "MAX_BANDWIDTH": "1Gbps"}, (), (-1, -1, -1)) == {
        "MIN_BANDWIDTH": "500Mbps", "MAX_BANDWIDTH": "500Mbps"}


def test_a_name_that_was_given_stays_and_a_made_one_follows():
    made = adapt_presets([scenario({"SCENARIO_NAME": "mine", "CPU_LIMIT": 1}), scenario({"CPU_LIMIT": 1})], STALLED)

    assert [one.name for one in made] == ["mine", "cpu-2"]


def test_values_between_rungs_go_to_the_next_and_values_past_the_end_stay():
    assert next_rung("CPU_LIMIT", 0.7, up=True) == 1.0
    assert next_rung("CPU_LIMIT", 0.7, up=False) == 0.5
    assert next_rung("CPU_LIMIT", 64.0, up=True) == 64.0
    assert next_rung("CPU_LIMIT", 64.0, up=False) == 8.0


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-10, 10), max_size=6), st.lists(st.floats(-10, 10), max_size=6), st.integers(1, 4))
def test_adapted_again_and_again_presets_stay_presets(returns, synergy, times):
    made = generate_presets(3, seed=times)
    for _ in range(times):
        made = adapt_presets(made, returns, synergy)

    assert [preset(scenario(preset(one))) for one in made] == [preset(one) for one in made]


@pytest.mark.parametrize("returns", [(1, 2, float("nan")), (1, 2, "3"), (True, 1, 1), (1, float("inf"), 2)])
def test_returns_that_are_no_numbers_are_refused(returns):
    with pytest.raises(UsageError, match="returns: not all of the last 3 values are numbers"):
        adapt_presets([], returns)


def test_first_presets_of_another_run_are_refused():
    with pytest.raises(UsageError, match="first: 0 presets, but there are 1 to adapt"):
        adapt_presets([scenario({})], STALLED, first=[])


def edge(field, breaks):
    return Edge(field=field, holds=2 * breaks, breaks=breaks, probes=1)


def test_a_field_with_a_known_edge_goes_half_of_the_way_to_it_and_takes_no_rung():
    one = scenario({"MEMORY_LIMIT": "64Mi", "CPU_LIMIT": 0.5})

    (moved,) = adapt_presets([one], [0, 0, 0], edges=[edge("MEMORY_LIMIT", 256.0 * 1024**2)])

    assert (moved.memory_bytes, moved.cores) == (128 * 1024**2, 1.0)


def test_the_nearest_of_several_edges_counts_and_too_few_returns_do_not_matter():
    (moved,) = adapt_presets([scenario({"NETWORK_LATENCY_MS": 500})], [],
                             edges=[edge("NETWORK_LATENCY_MS", 20.0), edge("NETWORK_LATENCY_MS", 400.0)])

    assert moved.link.delay_seconds == 0.45


def test_a_preset_closes_in_on_an_edge_and_stays_on_the_side_that_breaks():
    one, values = scenario({"PACKET_LOSS": 20}), []
    for _ in range(3):
        (one,) = adapt_presets([one], [], edges=[edge("PACKET_LOSS", 4.0)])
        values.append(round(one.link.loss * 100, 4))

    assert values == [12, 8, 6]


def test_an_edge_of_a_field_that_a_preset_does_not_have_and_one_without_values_change_nothing():
    one = scenario({"CPU_LIMIT": 0.5})
    none = Edge(field="CPU_LIMIT", holds=None, breaks=None, probes=2)

    assert adapt_presets([one], [], edges=[edge("PACKET_LOSS", 4.0), none]) == adapt_presets([one], [])
