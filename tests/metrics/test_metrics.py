"""Every metric shows what it measures, and none of them falls over what a program may have said."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import fields
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel.core.errors import UsageError
from windtunnel.core.metric import Direction, Findings, Observation, PatchedFile, Prices, UnderFault, Value, prices_of
from windtunnel.metrics.energy import Reading, joules_between, read_meter
from windtunnel.metrics.security import findings
from windtunnel.metrics.table import METRICS, measure_all

DOCUMENTED = {
    "security_score", "safety_rating", "adaptability", "antifragility", "shannon_entropy", "flexibility", "efficiency",
    "projected_lucrativity", "profitability", "patch_complexity", "energy_consumption", "resilience",
    "network_latency", "throughput", "risk_index", "recovery_time", "maintainability", "code_quality", "revenue",
    "discrepancy_count"}
EXAMPLES = [pytest.param(metric, example, id=f"{name}-{number}")
            for name, metric in METRICS.items() for number, example in enumerate(metric.examples)]


@pytest.mark.parametrize(("metric", "example"), EXAMPLES)
def test_a_metric_measures_what_its_examples_say(metric, example):
    value = measure_all(example.observation)[metric.name]

    assert value.value == (None if example.value is None else pytest.approx(example.value))
    assert value.estimated == example.estimated
    assert value.value is not None or value.reason


def test_every_name_of_the_document_is_measured():
    assert set(METRICS) >= DOCUMENTED


@pytest.mark.parametrize("metric", METRICS.values(), ids=METRICS)
def test_every_metric_shows_a_value_and_what_must_be_left_alone(metric):
    values = [example.value for example in metric.examples]

    assert None in values
    assert any(value is not None for value in values)
    assert all((metric.unit, metric.formula, metric.source))
    assert metric.low < metric.high


def test_nothing_known_is_nothing_measured_and_each_says_why():
    values = measure_all(Observation())

    assert {name for name, value in values.items() if value.value is not None} == set()
    assert [name for name, value in values.items() if not value.reason] == []


ODD = st.one_of(st.floats(), st.integers(), st.just(10**400), st.none())
FAULTS = st.builds(UnderFault, fault=st.just("disk_full"), intensity=ODD, calls=ODD, returned=ODD,
                   recovery_seconds=ODD, watched=st.booleans())
FINDINGS = st.builds(Findings, low=ODD, medium=ODD, high=ODD, lines=ODD)
PATCHED = st.builds(PatchedFile, path=st.text(max_size=3), added=ODD, removed=ODD)
PLAIN = {field.name: ODD for field in fields(Observation) if field.name not in {
    "call_seconds", "round_trip_seconds", "faults", "findings", "complexities", "sources", "patch", "prices"}}


@settings(max_examples=150, deadline=None)
@given(st.builds(
    Observation, **PLAIN, call_seconds=st.lists(ODD, max_size=3).map(tuple),
    round_trip_seconds=st.lists(ODD, max_size=3).map(tuple), faults=st.lists(FAULTS, max_size=3).map(tuple),
    findings=FINDINGS, complexities=st.lists(ODD, max_size=3).map(tuple),
    sources=st.lists(st.text(max_size=20), max_size=2).map(tuple), patch=st.lists(PATCHED, max_size=2).map(tuple)))
def test_odd_figures_never_raise_and_no_value_is_outside_its_range(observation):
    values = measure_all(observation)

    assert set(values) == set(METRICS)
    assert [name for name, one in values.items() if one.value is not None and not (
        math.isfinite(one.value) and METRICS[name].low <= one.value <= METRICS[name].high)] == []


def test_an_odd_figure_is_named():
    values = measure_all(Observation(calls=3, raised=5, cpu_seconds=math.nan))

    assert values["cpu_seconds"] == Value(
        value=None, reason="CPU time was not measured (not believed: raised, cpu_seconds)")
    assert values["error_rate"].value is None


def test_a_metric_that_nothing_is_gained_by_says_so():
    assert METRICS["shannon_entropy"].direction is Direction.NEITHER


@pytest.mark.parametrize(("field", "value"), [("watts", -1.0), ("price_cpu_second", math.nan), ("value_of_call", "1")])
def test_what_is_no_price_is_refused(field, value):
    with pytest.raises(UsageError, match="is no price") as caught:
        Prices(**{field: value})

    assert caught.value.field == field


def test_prices_are_read_from_a_table():
    assert prices_of({"watts": 9, "currency": "EUR"}) == Prices(watts=9, currency="EUR")


@pytest.mark.parametrize(("table", "field"), [
    ({"price": 1}, "price"), ({"watts": "9"}, "watts"), ({"currency": 3}, "currency"), ({"watts": True}, "watts")])
def test_a_table_with_what_is_no_price_is_refused(table, field):
    with pytest.raises(UsageError) as caught:
        prices_of(table)

    assert caught.value.field == field


def test_a_risk_that_rests_on_less_names_what_is_not_in_it():
    assert measure_all(Observation(calls=4, raised=1))["risk_index"] == Value(
        value=0.25, reason="not measured: safety, faults, security")


def test_a_report_of_bandit_is_counted_also_after_its_warnings():
    report = {"metrics": {"_totals": {
        "SEVERITY.LOW": 4, "SEVERITY.MEDIUM": 1, "SEVERITY.HIGH": 2, "loc": 120}}, "results": []}

    found = findings(b"[main] INFO warnings\n" + json.dumps(report).encode())

    assert found == Findings(low=4, medium=1, high=2, lines=120)


@pytest.mark.parametrize("printed", [
    b"", b"[]", b"{", b'{"metrics": 3}', b'{"metrics": {"_totals": {"loc": -1}}}', b'{"metrics": {"_totals": []}}',
    b"{" + b'"a": [' * 5000, b'{"metrics": {"_totals": {"SEVERITY.LOW": 1, "SEVERITY.MEDIUM": "9", "loc": 1}}}'])
def test_what_is_no_report_of_bandit_is_refused(printed):
    with pytest.raises(UsageError, match="not its JSON report"):
        findings(printed)


def meter(folder, stand, *, name="intel-rapl:0", most=1000):
    (folder / name).mkdir(parents=True, exist_ok=True)
    (folder / name / "energy_uj").write_text(f"{stand}\n")
    (folder / name / "max_energy_range_uj").write_text(f"{most}\n")
    return read_meter(folder)


def test_energy_is_what_the_meters_of_all_packages_rose_by(tmp_path):
    meter(tmp_path, 100, name="intel-rapl:0:0")
    meter(tmp_path, 2_000_000, name="intel-rapl:1", most=9_000_000)
    before = meter(tmp_path, 1_000_000, most=9_000_000)
    after = meter(tmp_path, 4_000_000, most=9_000_000)

    assert joules_between(before, after) == 3.0


def test_a_meter_that_began_anew_is_allowed_for(tmp_path):
    before, after = meter(tmp_path, 900_000, most=1_000_000), meter(tmp_path, 400_000, most=1_000_000)

    assert joules_between(before, after) == 0.5


def test_a_machine_without_a_meter_measures_none(tmp_path):
    assert read_meter(tmp_path) is None
    assert joules_between(None, Reading(stands={"a": 1}, wraps={"a": 1})) is None


def test_a_meter_that_cannot_be_read_measures_none(tmp_path):
    meter(tmp_path, "secret")

    assert read_meter(tmp_path) is None


def test_measuring_a_large_source_is_bounded():
    values = measure_all(Observation(sources=("x = 1\n" * (sys.getrecursionlimit() * 20),)))

    assert values["shannon_entropy"].value == pytest.approx(math.log2(3))


def test_every_metric_is_in_the_page_with_its_formula():
    page = (Path(__file__).parents[2] / "docs" / "metrics.md").read_text()

    assert [name for name, one in METRICS.items() if f"| `{name}` | {one.unit} | {one.direction} |" not in page] == []
    assert [name for name, one in METRICS.items() if f"| {one.formula} | {one.source} |" not in page] == []
