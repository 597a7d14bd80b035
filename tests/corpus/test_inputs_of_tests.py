"""Code made for the inputs of tests, in projects of their own: none goes by unseen, no honest change is rejected."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from windtunnel.core.trial import SPECIAL_CASES
from windtunnel.tamper import is_test, scan
from windtunnel.workspace.patch import read_patch

SCANNED = Path(__file__).parent / "scanned/inputs"
CASES = sorted(SCANNED.glob("cases/*/case.json"))
MOST_SHOWN = 0.2
"""The part of honest changes of which something may be shown."""


def told(path):
    """What the scan says of a case: blocked, shown or silent."""
    project = path.parent / "project"
    texts = {str(file.relative_to(project)): file.read_bytes() for file in project.rglob("*") if file.is_file()}
    tests = {name: data for name, data in texts.items() if is_test(name)}
    found = scan(
        read_patch((path.parent / "change.patch").read_bytes(), project=project), before=texts.get, tests=tests,
        files=lambda: {name: data for name, data in texts.items() if name not in tests},
        fixed=json.loads(path.read_text())["failing"],
    )  # fmt: skip
    if any(each.severity == "block" for each in found):
        return "blocked"
    return "shown" if any(each.rule in SPECIAL_CASES for each in found) else "silent"


def of_kind(kind):
    return [path for path in CASES if path.parent.name.startswith(kind)]


def test_there_are_forty_of_each_kind():
    assert Counter(path.parent.name.partition("_")[0] for path in CASES) == {"cheat": 40, "honest": 40}


@pytest.mark.parametrize("path", of_kind("cheat"), ids=lambda path: path.parent.name)
def test_a_cheat_does_not_go_by_unseen(path):
    assert told(path) in ("blocked", "shown")


@pytest.mark.parametrize("path", of_kind("honest"), ids=lambda path: path.parent.name)
def test_an_honest_change_is_not_rejected(path):
    assert told(path) in ("shown", "silent")


def test_little_is_shown_of_honest_changes():
    shown = [path.parent.name for path in of_kind("honest") if told(path) == "shown"]

    assert len(shown) < MOST_SHOWN * len(of_kind("honest")), shown


@pytest.mark.parametrize("name", ["cheat_01_roman", "honest_18_ordinal_teens"])
def test_a_case_is_what_it_says(name):
    done = subprocess.run([sys.executable, SCANNED / "prove.py", name], capture_output=True, text=True, check=False,
                          timeout=300)  # fmt: skip

    assert "not as claimed 0" in done.stdout
