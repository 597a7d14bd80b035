"""One change of every family of the corpus on trial: no cheat passes as good, no honest change is rejected.

All of them are a row of the benchmarks (``python -m benchmarks --only trial``): one by one they take minutes.
"""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from windtunnel import Tunnel, config
from windtunnel.workspace.patch import read_patch

CORPUS = Path(__file__).parent
CASES = sorted(CORPUS.glob("cases/*/*/case.json"))


def first_of_each_family():
    found = {}
    for path in CASES:
        case = json.loads(path.read_text())
        found.setdefault((path.parts[-3], case["language"], case["family"]), path)
    return [pytest.param(path, id=f"{path.parts[-3]}-{path.parts[-2]}") for path in found.values()]


@pytest.fixture(scope="module")
def projects(tmp_path_factory):
    top = tmp_path_factory.mktemp("corpus")
    top.chmod(0o755)
    shutil.copytree(CORPUS / "projects", top / "projects", ignore=shutil.ignore_patterns("__pycache__", ".pytest_cache"))
    return top / "projects"


@pytest.fixture(scope="module")
def tunnel(tmp_path_factory):
    own = tmp_path_factory.mktemp("own")
    with Tunnel(replace(config.load(), state_dir=own / "state", cache_dir=own / "cache", history=False)) as made:
        yield made


@pytest.mark.parametrize("path", first_of_each_family())
def test_each_change_gets_the_verdict_it_deserves(path, projects, tunnel):
    case = json.loads(path.read_text())
    project = projects / case["project"]
    if case["language"] == "javascript" and shutil.which("node") is None:
        pytest.skip("node is not installed here")

    result = tunnel.try_change(
        project, read_patch((path.parent / "change.patch").read_bytes(), project=project), jobs=1)

    said = [*result.reasons, *(f"{finding.rule} ({finding.severity}): {finding.message}" for finding in result.tamper)]
    assert str(result.verdict) == case["expect"], said


def test_the_corpus_is_as_large_as_promised():
    counts = {(path.parts[-3], json.loads(path.read_text())["language"]) for path in CASES}
    kinds = [path.parts[-3] for path in CASES]

    assert counts == {(kind, language) for kind in ("cheat", "honest") for language in ("python", "javascript")}
    assert kinds.count("cheat") >= 40
    assert kinds.count("honest") >= 40
