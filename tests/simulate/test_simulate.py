"""A project's functions under conditions, in real sandboxes."""

from __future__ import annotations

import json

import pytest

from windtunnel import Limits, Tunnel, UsageError
from windtunnel.cli.main import main
from windtunnel.core.limits import MIB
from windtunnel.core.simulation import Blame, State
from windtunnel.engine.simulate.surroundings import surroundings
from windtunnel.scenarios.preset import scenario

SHOP = """
import os
import urllib.request


def total(prices: list[float], rate: float = 0.19) -> float:
    return round(sum(prices) * (1 + rate), 2)


def save(text: str = "x") -> int:
    with open("/tmp/saved.txt", "w") as file:
        file.write(text * 100_000)
    return os.path.getsize("/tmp/saved.txt")


def stock(item: str = "pen") -> int:
    with urllib.request.urlopen("http://stock.test/" + item, timeout=3) as answer:
        return len(answer.read())


def home() -> str:
    return os.environ["HOME"]


def ticket() -> str:
    return os.urandom(4).hex()


def broken():
    raise RuntimeError("always")
"""
PRESETS = [{"SCENARIO_NAME": "mixed", "CPU_LIMIT": 0.5, "FAILURE_MODES": ["disk_full", "wrong_time_zone"]},
           {"SCENARIO_NAME": "refused", "FAILURE_MODES": "refused_connections"},
           {"SCENARIO_NAME": "bare", "FAILURE_MODES": "missing_environment"},
           {"SCENARIO_NAME": "small", "MEMORY_LIMIT": "200Mi", "DISK_LIMIT": "32Mi"}]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    folder = tmp_path_factory.mktemp("shop")
    (folder / "shop.py").write_text(SHOP)
    return folder


@pytest.fixture(scope="module")
def made(shop):
    with Tunnel(pool_size=0) as tunnel:
        return tunnel.simulate(shop, presets=PRESETS, seed=7)


def test_each_function_is_blamed_on_the_one_condition_that_breaks_it(made):
    assert {(one.section, one.conditions, one.together) for one in made.blames} == {
        ("shop.py:save", ("FAILURE_MODES:disk_full",), False),
        ("shop.py:stock", ("FAILURE_MODES:refused_connections",), False),
        ("shop.py:home", ("FAILURE_MODES:missing_environment",), False)}


def test_how_it_breaks_is_told_with_the_call_that_shows_it(made):
    told = {one.section: one for one in made.blames}

    assert told["shop.py:home"] == Blame(
        section="shop.py:home", conditions=("FAILURE_MODES:missing_environment",), reason="raises KeyError: 'HOME'",
        call="home()", scenarios=("bare",))
    assert "No space left on device" in told["shop.py:save"].reason


def test_what_copes_is_ok_under_every_scenario(made):
    assert {one.state for one in made.outcomes if one.section == "shop.py:total"} <= {State.OK, State.SLOW}


def test_a_function_that_returns_something_else_each_time_is_not_compared(made):
    assert all(one.state is not State.BROKEN for one in made.outcomes if one.section == "shop.py:ticket")


def test_a_function_that_never_returns_normally_is_skipped_with_the_reason(made):
    assert "RuntimeError" in made.skipped["shop.py:broken"]


def test_every_condition_is_measured_or_says_why_it_is_not(made):
    told = {name: {one.name: (one.real, bool(one.measured or one.reason)) for one in some}
            for name, some in made.conditions.items()}

    assert told == {
        "mixed": {"CPU_LIMIT": (True, True), "FAILURE_MODES:disk_full": (True, True),
                  "FAILURE_MODES:wrong_time_zone": (True, True)},
        "refused": {"FAILURE_MODES:refused_connections": (True, True)},
        "bare": {"FAILURE_MODES:missing_environment": (True, True)},
        "small": {"MEMORY_LIMIT": (True, True), "DISK_LIMIT": (True, True)}}


def test_nothing_in_the_project_is_changed(shop, made):
    assert made.project == str(shop)
    assert [path.name for path in shop.iterdir()] == ["shop.py"]


def test_a_module_that_cannot_be_imported_is_told_and_the_rest_goes_on(tmp_path):
    (tmp_path / "bad.py").write_text("import no_such_module_here\n\ndef f() -> int:\n    return 1\n")
    (tmp_path / "good.py").write_text("def g() -> int:\n    return 2\n")
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.simulate(tmp_path, presets=[{"CPU_LIMIT": 0.5}], measure=False)

    assert "no_such_module_here" in made.skipped["bad.py:f"]
    assert [one.id for one in made.sections] == ["good.py:g"]


@pytest.mark.parametrize(("options", "field"), [
    ({"presets": [{"CPU_LIMIT": -1}]}, "CPU_LIMIT"), ({"presets": "{"}, "presets"), ({"preset_count": 0}, "preset_count"),
    ({"sections": ["no such section"]}, "sections"), ({"calls": 0}, "calls")])
def test_what_cannot_be_is_refused_before_anything_runs(shop, options, field):
    with Tunnel(pool_size=0) as tunnel, pytest.raises(UsageError) as refused:
        tunnel.simulate(shop, **options)

    assert refused.value.field == field


def test_the_command_shows_a_heat_map_and_writes_a_page(shop, tmp_path, capsys):
    presets, page = tmp_path / "presets.json", tmp_path / "page.html"
    presets.write_text(json.dumps([PRESETS[2]]))

    code = main(["simulate", str(shop), "--presets", str(presets), "--section", "home", "--section", "total",
                 "--report", str(page)])

    shown = capsys.readouterr().out
    assert (code, shown.splitlines()[0]) == (1, "1 of 2 sections breaks under 1 scenario")
    assert "shop.py:home  missing_environment  raises KeyError: 'HOME'" in shown
    assert "missing_environment" in page.read_text()


def test_a_limit_above_the_operators_caps_is_cut_down_to_them():
    asked = scenario({"MEMORY_LIMIT": "4Gi", "CPU_LIMIT": 2})

    made = surroundings(asked, project="/p", seconds=1.0, wall_seconds=10.0, seed=0, caps=Limits(memory_bytes=256 * MIB))

    assert (made.place.limits.memory_bytes, made.place.limits.cores) == (256 * MIB, 1.0)


def test_nothing_to_call_is_told_as_such_and_is_no_success(tmp_path, capsys):
    (tmp_path / "m.py").write_text("x = 1\n")

    code = main(["simulate", str(tmp_path)])

    shown = capsys.readouterr().out
    assert (code, shown.splitlines()[0]) == (2, "nobody can tell: there is nothing to call")
    assert "could not be made real" not in shown


def test_a_page_that_cannot_be_written_is_refused_before_anything_runs(shop, tmp_path, capsys):
    code = main(["simulate", str(shop), "--report", str(tmp_path / "none" / "page.html")])

    assert (code, "cannot be written" in capsys.readouterr().err) == (2, True)
