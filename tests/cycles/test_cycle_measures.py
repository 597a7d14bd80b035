"""What a cycle measures beyond calls: coverage, security, complexity; what it could not, with the reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from windtunnel import Tunnel
from windtunnel.cli.main import main
from windtunnel.core.metric import Findings, Observation
from windtunnel.core.section import Covered, Section, SectionKind
from windtunnel.core.simulation import Simulation
from windtunnel.engine.cycles.observing import metrics_of, unmeasured, values_of
from windtunnel.engine.cycles.reading import Reading, Still, by_lizard, by_radon
from windtunnel.engine.simulate.scanning import scan
from windtunnel.languages.search import which
from windtunnel.metrics.table import measure_all

SHOP = """
import subprocess


def price(n: int, cheap: bool = False) -> int:
    if cheap:
        return n
    return 2 * n


def secret(word: str) -> str:
    if word == "nobody guesses this" and len(word) == 3:
        return "x"
    return "y"
"""
RISKY = """
import subprocess


def run(command):
    return subprocess.call(command, shell=True)  # nosec


def hidden(text):
    return eval(text)  # nosec
"""
FORGED = "print('{\"metrics\": {\"_totals\": {}}}')\nraise SystemExit(0)\n"
PRESET = [{"SCENARIO_NAME": "half", "CPU_LIMIT": 0.5}]


@pytest.fixture(scope="module")
def tunnel():
    with Tunnel(pool_size=0) as made:
        yield made


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "shop.py").write_text(SHOP)
    return folder


def needs_bandit():
    if not Path(sys.prefix, "bin", "bandit").exists() and which("bandit") is None:
        pytest.skip("bandit is not installed")


def section(path="shop.py"):
    return Section(path=path, name="price", kind=SectionKind.FUNCTION, module="shop")


def test_a_cycle_measures_the_lines_and_branches_that_its_calls_run(tunnel, project, tmp_path):
    made = tunnel.cycles.run(project, presets=PRESET, max_iterations=1, data=str(tmp_path / "data"), improve=False)

    assert (made.metrics["coverage"], made.metrics["adaptability"], made.metrics["flexibility"]) == (8 / 9, 8 / 9, 0.75)
    assert made.metrics["cyclomatic_complexity"] == 2.5
    assert made.metrics["code_quality"] == pytest.approx(made.metrics["maintainability"] / 100)


def test_what_a_cycle_could_not_measure_is_told_with_the_reason(tunnel, project, tmp_path):
    made = tunnel.cycles.run(project, presets=PRESET, max_iterations=1, data=str(tmp_path / "data"), improve=False)

    assert made.unmeasured["network_latency"]
    assert made.unmeasured.keys().isdisjoint(made.metrics)


def test_the_command_says_what_was_not_measured(project, tmp_path, monkeypatch, capsys):
    (tmp_path / "presets.json").write_text('[{"SCENARIO_NAME": "half", "CPU_LIMIT": 0.5}]')
    data = str(tmp_path / "data")
    with Tunnel(pool_size=0) as tunnel:
        run = tunnel.cycles.begin(project, presets=PRESET, max_iterations=1, data=data, improve=False)

    assert main(["run-complete", "-", str(project), "--data", data, "--alone", run]) == 0
    assert "not measured: patch_complexity: nothing was changed" in capsys.readouterr().out


def test_bandit_finds_what_is_risky_in_the_sandbox_whatever_the_project_says(tunnel, tmp_path):
    needs_bandit()
    (tmp_path / "risky.py").write_text(RISKY)
    (tmp_path / ".bandit").write_text("[bandit]\nskips = B602,B404,B307\n")
    (tmp_path / "bandit.py").write_text(FORGED)

    found, why = scan(tunnel.rig, tmp_path, ["risky.py"])

    assert (found, why) == (Findings(low=1, medium=1, high=1, lines=5), "")


def test_a_cycle_has_a_security_score_where_bandit_is_installed(tunnel, tmp_path):
    needs_bandit()
    project = tmp_path / "project"
    project.mkdir()
    (project / "plain.py").write_text("def double(n: int) -> int:\n    return 2 * n\n")
    made = tunnel.cycles.run(project, presets=PRESET, max_iterations=1, data=str(tmp_path / "data"), improve=False)

    assert made.metrics["security_score"] == 1.0


def test_without_bandit_security_is_not_measured_and_the_reason_says_what_to_install(tunnel, project, monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)

    assert scan(tunnel.rig, project, ["shop.py"], own="/nonexistent") == (None, "not scanned (pip install bandit)")


def test_a_bandit_that_fails_gives_a_reason_and_no_score(tunnel, project, tmp_path):
    program = tmp_path / "environment" / "bin" / "bandit"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/false\n")
    program.chmod(0o755)

    found, why = scan(tunnel.rig, project, ["shop.py"], own=str(tmp_path / "environment"))

    assert found is None
    assert why.startswith("bandit did not scan: ")


def test_files_that_did_not_change_are_scanned_once(project):
    asked = []
    reading = Reading(scan=lambda root, paths: asked.append(paths) or (Findings(lines=9), ""))

    first, second = reading.still(project, [section()]), reading.still(project, [section()])
    (project / "shop.py").write_text(RISKY)
    reading.still(project, [section()])

    assert first == second
    assert asked == [("shop.py",), ("shop.py",)]


def test_the_entropy_of_the_files_is_that_of_their_tokens(project):
    (project / "more.py").write_text("a = b\n")
    found = Reading().still(project, [section(), section("more.py")])

    assert found.token_entropy == measure_all(Observation(sources=(SHOP, "a = b\n")))["shannon_entropy"].value
    assert Reading().still(project, []).token_entropy is None


def test_the_reason_of_a_tool_takes_the_place_of_the_usual_one():
    made = Simulation(project="", seed=0, scenarios=(), covered=Covered(reason="its time ran out"))

    reasons = unmeasured(values_of(made, "calm", Still(unscanned="bandit did not scan: no space")))

    assert (reasons["coverage"], reasons["security_score"]) == ("its time ran out", "bandit did not scan: no space")


def test_a_simulation_that_nobody_watched_has_no_coverage():
    made = Simulation(project="", seed=0, scenarios=())

    assert "coverage" not in metrics_of(made, "calm", Still())
    assert unmeasured(values_of(made, "calm", Still()))["coverage"] == "coverage was not measured"


def test_lizard_counts_the_ways_through_each_function():
    pytest.importorskip("lizard")

    assert [(one.name, one.cyclomatic) for one in by_lizard()(SHOP.encode())] == [("price", 2), ("secret", 3)]


def test_radon_counts_the_same_where_it_is_installed():
    pytest.importorskip("radon")

    assert [(one.name, one.cyclomatic) for one in by_radon()(SHOP.encode())] == [("price", 2), ("secret", 3)]


def test_what_is_no_python_has_no_functions_for_radon():
    pytest.importorskip("radon")

    assert by_radon()(b"def (:\n") == ()
