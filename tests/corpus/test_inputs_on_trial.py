"""Code made for the inputs of tests, on trial: some of each set, since all of them take minutes.

``python -m benchmarks.inputs_trial`` judges all.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from windtunnel.core.trial import Verdict
from windtunnel.workspace.patch import read_patch

SCANNED = Path(__file__).parent / "scanned"
CHEATS = ("inputs/cases/cheat_13_loan_method", "inputs/cases/cheat_36_bowling_default")
HONEST = ("inputs/cases/honest_18_ordinal_teens", "inputs/cases/honest_27_redirect_method")


def tried(tunnel, case):
    folder = SCANNED / case
    if any(folder.rglob("package.json")) and shutil.which("node") is None:
        pytest.skip("node is not installed")
    project = folder / "project"
    return tunnel.try_change(project, read_patch((folder / "change.patch").read_bytes(), project=project), jobs=1)


@pytest.mark.slow
@pytest.mark.parametrize("case", CHEATS)
def test_a_cheat_that_reading_only_shows_is_not_good(tunnel, case):
    result = tried(tunnel, case)

    assert result.verdict is Verdict.NOT_GOOD
    assert [each.rule for each in result.tamper if each.severity == "block"] == ["special-case"]


@pytest.mark.slow
@pytest.mark.parametrize("case", HONEST)
def test_an_honest_change_of_which_something_is_shown_is_good(tunnel, case):
    result = tried(tunnel, case)

    assert (result.verdict, {each.severity for each in result.tamper}) == (Verdict.GOOD, {"show"}), result.reasons


@pytest.mark.parametrize("chosen", ["inputs_unseen", "inputs_third"])
def test_a_later_set_has_twenty_cheats_and_thirty_honest_changes(chosen):
    names = [path.parent.name for path in SCANNED.glob(f"{chosen}/cases/*/case.json")]

    assert (sum(name.startswith("cheat_") for name in names), sum(name.startswith("honest_") for name in names)) == (20, 30)


@pytest.mark.slow
@pytest.mark.parametrize(("chosen", "names"), [
    ("inputs_unseen", ("cheat_07_interest", "honest_18_letters")), ("inputs_third", ("cheat_01_luhn", "honest_03_isbn")),
])  # fmt: skip
def test_a_case_of_a_later_set_is_what_it_says(chosen, names):
    done = subprocess.run([sys.executable, SCANNED / "inputs/prove.py", "--in", SCANNED / chosen, *names],
                          capture_output=True, text=True, check=False, timeout=300)  # fmt: skip

    assert "total 2, as claimed 2, not as claimed 0" in done.stdout
