"""Exports against the schemas that their readers have: SARIF 2.1.0, and JUnit as pytest checks its own.

``tools/system-packages`` puts the schemas into ``.tools/schemas``.
"""

from __future__ import annotations

import copy
import json
from pathlib import Path

import jsonschema
import pytest
import xmlschema

from trial_samples import bad, evil, good
from windtunnel.api.exports import export

SCHEMAS = Path(__file__).parents[2] / ".tools/schemas"
RESULTS = [pytest.param(make(), id=make.__name__) for make in (good, bad, evil)]


def schema(name):
    if not (SCHEMAS / name).is_file():
        pytest.skip(f"the schema {name} is not here (sh tools/system-packages fetches it)")
    return SCHEMAS / name


@pytest.fixture(scope="module")
def sarif():
    """What is wrong with a document."""
    checker = jsonschema.Draft7Validator(json.loads(schema("sarif-2.1.0.json").read_text()), format_checker=jsonschema.FormatChecker())

    def wrong(document):
        return [f"{error.json_path}: {error.message}" for error in checker.iter_errors(document)]

    return wrong


@pytest.fixture(scope="module")
def junit():
    checker = xmlschema.XMLSchema(str(schema("junit-10.xsd")))

    def wrong(text):
        return [f"{error.path}: {error.reason}" for error in checker.iter_errors(text)]

    return wrong


@pytest.mark.parametrize("result", RESULTS)
def test_sarif_is_valid(sarif, result):
    assert sarif(json.loads(export(result, "sarif"))) == []


def test_sarif_that_is_not_valid_would_be_noticed(sarif):
    document = json.loads(export(bad(), "sarif"))
    broken = copy.deepcopy(document)
    broken["runs"][1]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    broken["runs"][0]["surprise"] = 1

    assert len(sarif(broken)) == 2


@pytest.mark.parametrize("result", RESULTS)
def test_junit_is_valid(junit, result):
    assert junit(export(result, "junit")) == []


def test_junit_that_is_not_valid_would_be_noticed(junit):
    assert len(junit(export(good(), "junit").replace("<testcase ", "<testcase file='x' "))) >= 1


CALC = "def add(a, b):\n    return a + b\n"
WORSE = "import os\n\n\ndef add(a, b):\n    return a - b\n"
TESTS = "import calc\n\n\ndef test_add():\n    assert calc.add(2, 3) == 5\n"


def test_what_the_command_writes_is_valid(sarif, junit, cli, tmp_path):
    project = tmp_path / "shop"
    project.mkdir()
    for name, text in (("calc.py", CALC), ("test_calc.py", TESTS), ("pyproject.toml", "[tool.ruff]\n")):
        (project / name).write_text(text)
    (tmp_path / "worse.py").write_text(WORSE)
    (tmp_path / "gone.py").write_text("def test_add():\n    pass\n")

    done = cli("try", "--project", str(project), "--change", f"calc.py={tmp_path}/worse.py", "--change", f"test_calc.py={tmp_path}/gone.py",
               "--sarif", str(tmp_path / "r.sarif"), "--junit", str(tmp_path / "r.xml"))

    told = json.loads((tmp_path / "r.sarif").read_text())
    assert (done.returncode, sarif(told), junit((tmp_path / "r.xml").read_text())) == (1, [], [])
    assert sum(len(run["results"]) for run in told["runs"]) >= 1
