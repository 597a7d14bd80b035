"""Reports of mutation runs against the schemas that their readers have; ``tools/system-packages`` fetches them."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from mutation_samples import SOURCES, empty, evil, mixed, sound, unproven
from windtunnel.api.exports.mutations import export_mutation

SCHEMAS = Path(__file__).parents[2] / ".tools/schemas"
FILES = {"sarif": "sarif-2.1.0.json", "elements": "mutation-testing-report.json"}
RUNS = [pytest.param(mixed(), SOURCES, id="mixed"), pytest.param(mixed(), {}, id="no sources"), pytest.param(sound(), SOURCES, id="sound"),
        pytest.param(unproven(), SOURCES, id="unproven"), pytest.param(empty(), {}, id="empty"), pytest.param(*evil(), id="evil")]


@pytest.fixture(params=FILES)
def form(request):
    return request.param


@pytest.fixture
def wrong(form):
    """What is wrong with a document."""
    path = SCHEMAS / FILES[form]
    if not path.is_file():
        pytest.skip(f"the schema {path.name} is not here (sh tools/system-packages fetches it)")
    checker = jsonschema.Draft7Validator(json.loads(path.read_text()), format_checker=jsonschema.FormatChecker())
    return lambda document: [f"{error.json_path}: {error.message}" for error in checker.iter_errors(document)]


@pytest.mark.parametrize(("result", "sources"), RUNS)
def test_a_report_is_valid(form, wrong, result, sources):
    assert wrong(json.loads(export_mutation(result, form, sources=sources))) == []


def test_a_report_that_is_not_valid_would_be_noticed(form, wrong):
    text = export_mutation(mixed(), form, sources=SOURCES)
    broken = text.replace('"Killed"', '"Noticed"') if form == "elements" else text.replace('"startLine": 12', '"startLine": 0')

    assert len(wrong(json.loads(broken))) == {"elements": 3, "sarif": 1}[form]
