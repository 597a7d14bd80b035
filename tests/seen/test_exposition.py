"""The text that Prometheus reads, held against a strict reader made from the description of the format."""

import math

import pytest
from exposition_reader import read

from windtunnel.core.errors import UsageError
from windtunnel.core.exposition import Family, Sample, by_label, exposition, gauge, histogram


def test_families_come_out_as_they_went_in():
    text = exposition([
        gauge("sandbox_restart_count", 3, words="Times."),
        by_label("runs_total", {"exited": 5, "killed": 1.5}, label="outcome", kind="counter", words="Runs."),
        histogram("seconds", [1, 0, 2], bounds=[0.1, 1.0], total=7.25, words="Durations.")])

    assert read(text) == {
        "sandbox_restart_count": ("gauge", "Times.", {("sandbox_restart_count", ()): 3.0}),
        "runs_total": ("counter", "Runs.", {("runs_total", (("outcome", "exited"),)): 5.0,
                                            ("runs_total", (("outcome", "killed"),)): 1.5}),
        "seconds": ("histogram", "Durations.", {
            ("seconds_bucket", (("le", "0.1"),)): 1.0, ("seconds_bucket", (("le", "1"),)): 1.0,
            ("seconds_bucket", (("le", "+Inf"),)): 3.0, ("seconds_sum", ()): 7.25, ("seconds_count", ()): 3.0})}


HOSTILE = 'a"} 1\nevil{x="\\n\\'


def test_a_hostile_label_is_a_label_and_nothing_more():
    text = exposition([by_label("metric", {HOSTILE: 1}, label="name", kind="gauge", words="With \\ and\nlines.")])

    assert read(text) == {"metric": ("gauge", "With \\ and\nlines.", {("metric", (("name", HOSTILE),)): 1.0})}


def test_half_a_letter_can_still_be_sent():
    text = exposition([by_label("metric", {"\ud800x": 1}, label="name", kind="gauge", words="w")])

    assert read(text.encode().decode())["metric"][2] == {("metric", (("name", "?x"),)): 1.0}


@pytest.mark.parametrize("value", [0.1, -0.0, 1e300, 5e-324, math.inf, -math.inf, 1.7e9 + 0.123, 2**53])
def test_numbers_keep_their_value(value):
    found = read(exposition([gauge("metric", value, words="w")]))["metric"][2]

    assert found == {("metric", ()): value}


def test_what_is_no_number_is_said_to_be_none():
    assert "metric NaN\n" in exposition([gauge("metric", math.nan, words="w")])


def test_a_family_without_samples_is_left_out():
    assert exposition([by_label("runs_total", {}, label="outcome", kind="counter", words="w")]) == ""


@pytest.mark.parametrize("wrong", [
    {"name": "1st"}, {"name": "with space"}, {"name": ""}, {"samples": (Sample(value=1, labels={"a-b": ""}),)},
    {"samples": (Sample(value=1, labels={"__own": ""}),)}, {"samples": (Sample(value=1), Sample(value=2))}])
def test_what_a_reader_would_not_take_is_refused(wrong):
    with pytest.raises(UsageError, match=r"not the name|the same labels"):
        Family(**{"name": "metric", "kind": "gauge", "words": "w", "samples": (), **wrong})


def test_two_families_of_one_name_are_refused():
    with pytest.raises(UsageError, match="two families are named metric"):
        exposition([gauge("metric", 1, words="w"), gauge("metric", 2, words="w")])
