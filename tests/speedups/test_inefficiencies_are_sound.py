"""The corpus of slow code says what it claims: the better form prints the same; decoys say why they are left alone."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CORPUS = Path(__file__).parent.parent / "corpus" / "inefficiencies"
SLOW = sorted(path.parent for path in CORPUS.glob("*/*/better.py"))
DECOYS = sorted((CORPUS / "decoys").iterdir())


def printed(folder):
    command = [sys.executable, "-I", "-c", "import sys; sys.path.insert(0, '.'); import workload"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout


def module_of(case):
    return next((case / "project").glob("test_*.py")).name.removeprefix("test_")


@pytest.mark.parametrize("case", SLOW, ids=lambda case: f"{case.parent.name}-{case.name}")
def test_the_better_form_prints_what_the_slow_one_does(case, tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONHASHSEED", "1")
    slow, better = tmp_path / "slow", tmp_path / "better"
    shutil.copytree(case / "project", slow)
    shutil.copytree(case / "project", better)
    shutil.copy(case / "better.py", better / module_of(case))

    assert printed(slow) == printed(better) != ""


def test_there_are_fifteen_slow_ones_five_of_them_held_out_and_ten_decoys():
    assert [path.parent.name for path in SLOW].count("held") == 5
    assert (len(SLOW), len(DECOYS)) == (15, 10)
    assert all((case / "why.txt").read_text().strip() for case in DECOYS)
