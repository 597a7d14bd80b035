"""Trials that also ask the gate, in a real sandbox."""

from __future__ import annotations

import json

import pytest
from trials import ONE_RUNNER, delete, modify, write

from windtunnel import SandboxExecutor
from windtunnel.api.exports import export
from windtunnel.cli.trial_text import trial_lines
from windtunnel.core.errors import UsageError
from windtunnel.core.gate import GateState, GateVerdict, Thresholds
from windtunnel.core.trial import Verdict

SHOP = "def price(amount, discount):\n    return amount - discount\n"
FIXED = SHOP.replace("amount - discount", "max(amount - discount, 0)")
TESTS = "from shop import price\n\n\ndef test_price():\n    assert price(5, 2) == 3\n"
NEW_TEST = "from shop import price\n\n\ndef test_never_below_nothing():\n    assert price(2, 5) == 0\n"
SECRET = "a-secret-of-ours"


@pytest.fixture
def project(tmp_path):
    return write(tmp_path / "project", {"shop.py": SHOP, "test_shop.py": TESTS, "test_free.py": NEW_TEST.replace("2, 5", "2, 2")})


@pytest.fixture
def tried(tunnel, project):
    def of(*changes, **options):
        return tunnel.try_change(project, changes, **{**ONE_RUNNER, "gate": True, **options})

    return of


@pytest.mark.slow
def test_a_sound_fix_passes_the_trial_and_the_gate(tried):
    result = tried(modify("shop.py", FIXED), modify("test_free.py", NEW_TEST), expected_tests=["test_free.py"])

    assert (result.verdict, result.gate.verdict, result.gate.hollow) == (Verdict.GOOD, GateVerdict.GOOD, False)
    assert result.reasons[-1] == "gate: test_free.py::test_never_below_nothing fails without the change"


@pytest.mark.slow
def test_a_hollow_fix_passes_the_trial_and_not_the_gate(tried):
    without, asked = tried(modify("shop.py", FIXED), gate=False), tried(modify("shop.py", FIXED))

    assert (without.verdict, without.gate) == (Verdict.GOOD, None)
    assert (asked.verdict, asked.gate.verdict, asked.reasons[0]) == (
        Verdict.NOT_GOOD, GateVerdict.NOT_GOOD, "gate: hollow: no test fails without the change")


@pytest.mark.slow
def test_a_hollow_fix_cannot_be_applied(tunnel, project, tried):
    result = tried(modify("shop.py", FIXED))

    with pytest.raises(UsageError, match="the verdict is not good"):
        tunnel.apply(project, result)


@pytest.mark.slow
def test_what_the_gate_cannot_judge_is_not_good(tried):
    result = tried(modify("test_free.py", NEW_TEST.replace("2, 5", "3, 3")), expected_tests=["test_free.py"])

    assert (result.verdict, result.gate.state, result.reasons) == (
        Verdict.NOT_GOOD, GateState.TESTS_ONLY, ("gate: the change touches tests alone",))


@pytest.mark.slow
def test_the_gate_is_not_asked_about_a_change_that_is_not_good_anyway(tried):
    result = tried(delete("test_free.py"))

    assert (result.verdict, result.gate, result.notes[-1]) == (
        Verdict.NOT_GOOD, None, "gate: not asked, since the change is not good without it")


@pytest.mark.slow
def test_the_thresholds_are_those_asked_for(tried):
    result = tried(modify("shop.py", FIXED), gate=Thresholds(least=0, hollow="allow"))

    assert (result.verdict, result.gate.thresholds, result.gate.hollow) == (
        Verdict.GOOD, Thresholds(least=0, hollow="allow"), True)


@pytest.mark.slow
def test_only_files_whose_tests_reach_a_change_are_collected_to_find_it_good(tried, project):
    write(project, {"other.py": "def other():\n    return 1\n", "test_other.py": "from other import other\n\n\ndef test_other():\n    assert other()\n"})
    new = modify("test_free.py", NEW_TEST)
    result = tried(modify("shop.py", FIXED), new, expected_tests=["test_free.py"])

    assert (result.verdict, result.gate.tests) == (Verdict.GOOD, 2)


@pytest.mark.slow
def test_what_few_files_do_not_notice_all_are_asked_about(tried, project):
    """The test that fails without the fix did not reach the code before."""
    write(project, {"test_later.py": "import shop\n\n\ndef test_later():\n    assert not hasattr(shop, 'bonus') or shop.bonus() == 7\n"
                                     "    assert hasattr(shop, 'bonus') or True\n"})
    result = tried(modify("shop.py", SHOP + "\n\ndef bonus():\n    return 7\n"), gate=Thresholds(hollow="allow"))

    assert (result.gate.tests, result.gate.score) == (3, 1.0)


@pytest.mark.slow
def test_the_executor_asks_the_gate_where_it_is_told_to(tunnel, project):
    executor = SandboxExecutor(tunnel=tunnel, gate=True)

    assert executor.execute_with_changes(project, [modify("shop.py", FIXED)], test_command="pytest").gate.hollow is True


@pytest.mark.slow
def test_the_gate_is_shown_in_every_form_and_keeps_secrets(tried):
    changed = FIXED + f'\n\ndef spare():\n    return "{SECRET}"\n'
    result = tried(modify("shop.py", changed), secrets={"test": {"TOKEN": SECRET}})
    page = "\n".join(text for text, _ in trial_lines(result, project="p"))
    plain, markdown = export(result, "json"), export(result, "markdown")

    assert "gate       NOT GOOD  hollow: no test fails without the change" in page
    assert json.loads(plain)["gate"]["hollow"] is True
    assert "<details><summary>gate: not good</summary>" in markdown
    assert [SECRET in text for text in (page, plain, markdown)] == [False] * 3


@pytest.mark.parametrize(("options", "field"), [({"gate": "yes"}, "gate"), ({"gate": 1}, "gate"), ({"pattern": "price"}, "pattern")])
def test_what_the_gate_could_not_keep_to_is_refused_before_anything_runs(tried, options, field):
    with pytest.raises(UsageError) as refusal:
        tried(modify("shop.py", FIXED), **options)

    assert refusal.value.field == field


def test_candidates_are_ranked_without_the_gate(tunnel, project):
    with pytest.raises(UsageError, match="ask it about the best one"):
        tunnel.rank(project, {"one": [modify("shop.py", FIXED)]}, gate=True, **ONE_RUNNER)
