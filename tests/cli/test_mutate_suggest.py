"""``windtunnel mutate --suggest`` as a person starts it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.timeout(600)
ONE = ("--operators", "boundary", "--test", "pytest", "--compare", "0", "--jobs", "1", "--no-keep")


def shown():
    """What the page shows of it, as patterns of lines."""
    page = (Path(__file__).parents[2] / "docs" / "mutation.md").read_text()
    block = page.split("$ windtunnel mutate --suggest\n")[1].split("```")[0]
    return [f"^{re.escape(line).replace('…', '.*')}$" for line in block.splitlines() if line]


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "calc.py").write_text("def is_adult(age):\n    return age >= 18\n")
    (folder / "test_calc.py").write_text("import calc\n\n\ndef test_is_adult():\n    assert calc.is_adult(30) and not calc.is_adult(5)\n")
    return folder


@pytest.fixture
def mutate(cli, project):
    cli.env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    return lambda *arguments: cli("mutate", "--project", str(project), *ONE, *arguments, seconds=500)


@pytest.mark.slow
def test_the_diff_is_all_of_the_output_and_can_be_tried_as_it_is(mutate, cli, project):
    done = mutate("--suggest-diff", "--suggest-seconds", "150")
    tried = cli("try", "-", "--project", str(project), "--test", "pytest", stdin=done.stdout, seconds=500)

    assert (done.returncode, done.stdout.startswith("diff --git a/test_calc.py b/test_calc.py\n"), done.stdout.endswith(
        "+\n+\n+def test_is_adult_of_18():\n+    assert calc.is_adult(18) is True\n")) == (0, True, True), done.stderr
    assert [line for line in shown() if not re.search(line, done.stderr, re.MULTILINE)] == []
    assert (tried.returncode, tried.stdout.split()[0]) == (0, "GOOD"), tried.stdout + tried.stderr


@pytest.mark.parametrize("more", [("--json",), ("--report", "html")])
def test_two_things_never_share_standard_output(mutate, more):
    done = mutate("--suggest-diff", *more)

    assert (done.returncode, "--suggest-diff alone goes to standard output" in done.stderr) == (2, True)


def test_no_time_is_no_time_to_look_in(mutate):
    done = mutate("--suggest", "--suggest-seconds", "0")

    assert (done.returncode, "--suggest-seconds: more than 0" in done.stderr) == (2, True)
