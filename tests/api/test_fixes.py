"""The doors to fixing."""

from __future__ import annotations

import pytest

import windtunnel
from windtunnel import ErrorToDiffEngine, FixLoop, SelfDebuggerSandbox
from windtunnel.core.errors import UsageError
from windtunnel.core.problem import Place
from windtunnel.core.repair import FileEdit, FixState, Proposal
from windtunnel.engine.fix.score import Measures

pytestmark = pytest.mark.timeout(600)
QUICK = {"test": "pytest", "build": "", "lint": "", "env": {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}}
TRACE = """Traceback (most recent call last):
  File "shop/cart.py", line 2, in total
    return sum(price)
NameError: name 'price' is not defined. Did you mean: 'prices'?
"""
FILES = {"shop/cart.py": "def total(prices):\n    return sum(price)\n"}


@pytest.fixture
def project(tmp_path):
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (folder / "test_calc.py").write_text("import calc\n\n\ndef test_add():\n    assert calc.add(2, 3) == 5\n\n\ndef test_zero():\n    assert calc.add(0, 0) == 0\n")
    return folder


def wrong(scene):
    for number in range(7, 17):
        yield Proposal(edits=(FileEdit(path="calc.py", text=f"def add(a, b):\n    return {number}\n"),), origin="search", name="number",
                       reason=f"{number}", prior=0.5, place=Place(file="calc.py", line=2))


def test_the_words_of_an_error_become_ranked_diffs():
    best, *others = ErrorToDiffEngine(files=FILES).diffs(TRACE)

    assert best.diff == ("--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1,2 +1,2 @@\n def total(prices):\n"
                         "-    return sum(price)\n+    return sum(prices)\n")
    assert (best.place, 0 < best.confidence <= 1, len(others) <= 4) == ("shop/cart.py:2", True, True)


def test_a_project_on_disk_is_read_and_not_changed(tmp_path):
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop/cart.py").write_text(FILES["shop/cart.py"])
    engine = ErrorToDiffEngine(tmp_path)

    assert [problem.kind for problem in engine.problems(TRACE)] == ["name"]
    assert engine.diffs(TRACE, most=1)[0].place == "shop/cart.py:2"
    assert (tmp_path / "shop/cart.py").read_text() == FILES["shop/cart.py"]


@pytest.mark.parametrize("text", ["", "\0" * 100, "Traceback (most recent call last):\n", "x" * 100_000, "NameError: name '' is not defined\n"])
def test_words_that_say_nothing_never_fail(text):
    assert isinstance(ErrorToDiffEngine(files=FILES).diffs(text), tuple)


def test_no_diff_touches_what_is_forbidden():
    assert ErrorToDiffEngine(files=FILES, forbid=["shop/**"]).diffs(TRACE) == ()


@pytest.mark.parametrize("given", [{}, {"project": ".", "files": {}}])
def test_either_a_project_or_files_are_given(given):
    with pytest.raises(UsageError, match="project"):
        ErrorToDiffEngine(**given)


def test_a_loop_mends_a_project(new_tunnel, project):
    result = FixLoop(project, tunnel=new_tunnel(), **QUICK).run()

    assert (result.state, result.changes.get("calc.py").new_content) == (FixState.FIXED, "def add(a, b):\n    return a + b\n")


def test_a_debugger_retries_with_more_attempts_and_scores_each_try(new_tunnel, project, monkeypatch):
    monkeypatch.setattr("windtunnel.repair.sources._BY_LANGUAGE", {"python": ()})
    debugger = SelfDebuggerSandbox(project, tunnel=new_tunnel(), attempts=4, retries=2, sources=[wrong], **QUICK)

    result = debugger.analyse_and_fix()

    assert (result.state, result.tried, len(debugger.scores)) == (FixState.UNFIXED, 8, 2)
    assert result.notes[-1] == "2 of 2 tries"
    assert debugger.composite_score(Measures(gain=1.0, errors=1.0)) > debugger.composite_score(Measures())


def test_a_debugger_stops_where_nothing_more_is_proposed(new_tunnel, project, monkeypatch):
    monkeypatch.setattr("windtunnel.repair.sources._BY_LANGUAGE", {"python": ()})
    debugger = SelfDebuggerSandbox(project, tunnel=new_tunnel(), attempts=50, retries=3, sources=[wrong], **QUICK)

    assert (debugger.analyse_and_fix().tried, len(debugger.scores)) == (10, 1)


def test_the_number_of_tries_is_a_variable(monkeypatch):
    monkeypatch.setenv("SANDBOX_PATCH_RETRIES", "7")

    assert SelfDebuggerSandbox(".").retries == 7


@pytest.mark.parametrize("text", ["0", "-1", "many"])
def test_a_number_of_tries_that_is_none_is_refused(monkeypatch, text):
    monkeypatch.setenv("SANDBOX_PATCH_RETRIES", text)

    with pytest.raises(UsageError, match="SANDBOX_PATCH_RETRIES"):
        SelfDebuggerSandbox(".")


def test_the_doors_are_public_names():
    assert [getattr(windtunnel, name).__name__ for name in ("ErrorToDiffEngine", "FixLoop", "FixResult", "SelfDebuggerSandbox")] == [
        "ErrorToDiffEngine", "FixLoop", "FixResult", "SelfDebuggerSandbox"]
