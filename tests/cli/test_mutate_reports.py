"""``windtunnel mutate --report``: into a file, or alone on standard output."""

from __future__ import annotations

import json

import pytest

CALC = "def clip(n, most):\n    if n > most:\n        return most\n    return n\n"
TESTS = "import calc\n\n\ndef test_clip():\n    assert calc.clip(9, 5) == 5\n"


@pytest.fixture
def mutate(cli, tmp_path):
    project = tmp_path / "shop"
    project.mkdir()
    for name, text in (("calc.py", CALC), ("test_calc.py", TESTS), ("pyproject.toml", "[tool.pytest.ini_options]\n")):
        (project / name).write_text(text)
    cli.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

    def run(*arguments):
        return cli("mutate", "--project", str(project), "--operators", "boundary", *arguments, seconds=120)

    return run


@pytest.mark.slow
def test_a_report_is_written_into_the_named_file(mutate, tmp_path):
    done = mutate("--report", "html", "--out", str(tmp_path / "report.html"))

    page = (tmp_path / "report.html").read_text()
    assert (done.returncode, page.startswith("<!DOCTYPE html>"), '["+","    if n ","\\u003e="," most:"]' in page) == (0, True, True), done.stderr
    assert "score 0.0 %" in done.stdout


@pytest.mark.slow
def test_a_report_stands_alone_on_standard_output(mutate):
    done = mutate("--report", "sarif")

    told = json.loads(done.stdout)["runs"][0]["results"]
    assert [one["locations"][0]["physicalLocation"]["region"] for one in told] == [
        {"startLine": 2, "startColumn": 10, "endLine": 2, "endColumn": 11}]
    assert "score 0.0 %" in done.stderr


@pytest.mark.slow
def test_a_file_that_cannot_be_written_is_said(mutate, tmp_path):
    done = mutate("--report", "json", "--out", str(tmp_path / "nowhere" / "report.json"))

    assert (done.returncode, "--out: cannot write" in done.stderr) == (2, True)
