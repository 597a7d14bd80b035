"""Weak tests, as a real run finds them; options that the verb takes and refuses."""

from __future__ import annotations

import pytest
from mutations import QUICK, judge, write

from windtunnel.core.errors import UsageError
from windtunnel.core.mutation import Weakness, WeakTest
from windtunnel.mutation.custom import read_rules

pytestmark = pytest.mark.timeout(600)
CALC = "def add(a, b):\n    return a + b\n\n\ndef less(a, b):\n    return a - b\n\n\ndef times(a, b):\n    return a * b\n"
TESTS = ("import calc\n\n\ndef test_all():\n    assert (calc.add(2, 3), calc.less(3, 1), calc.times(2, 3)) == (5, 2, 6)\n\n\n"
         "def test_blind():\n    assert calc.add(0, 0) == 0\n    assert calc.less(0, 0) == 0\n    assert calc.times(0, 1) == 0\n\n\n"
         "def test_mute():\n    calc.add(1, 1)\n")


@pytest.mark.slow
def test_tests_that_show_little_are_named_with_the_reason(tunnel, tmp_path):
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": TESTS})

    result = judge(tunnel, project, operators=("arithmetic",), jobs=1)

    assert result.weak == (
        WeakTest(test="test_calc.py::test_mute", reason=Weakness.ASSERTS_NOTHING, reached=1),
        WeakTest(test="test_calc.py::test_blind", reason=Weakness.NOTICES_NOTHING, reached=3))


@pytest.mark.slow
def test_a_test_that_another_one_makes_needless_is_never_the_first_to_notice(tunnel, tmp_path):
    tests = "import calc\n\n\ndef test_add():\n    assert calc.add(2, 3) == 5\n\n\ndef test_again():\n    for number in range(1_000_000):\n        assert calc.add(number, 1) == number + 1\n"
    project = write(tmp_path, {"calc.py": CALC, "test_calc.py": tests})

    result = judge(tunnel, project, operators=("arithmetic",), jobs=1)

    assert result.weak == (WeakTest(test="test_calc.py::test_again", reason=Weakness.NEVER_FIRST, reached=1),)


@pytest.mark.slow
def test_rules_of_the_user_are_judged_beside_ours(tunnel, tmp_path):
    rules = read_rules(b"version: 1\nrules:\n  - name: no-add\n    pattern: calc_add($a, $b)\n    replacement: $a\n", file="rules.yaml")
    project = write(tmp_path, {
        "calc.py": "def calc_add(a, b):\n    return a + b\n\n\ndef twice(a):\n    return calc_add(a, a)\n",
        "test_calc.py": "import calc\n\n\ndef test_it():\n    assert calc.twice(2) == 4\n"})

    result = judge(tunnel, project, operators=("custom:no-add",), rules=rules)

    assert [(one.mutant.operator, str(one.fate)) for one in result.judged] == [("custom:no-add", "killed")]


def test_an_option_that_there_is_not_is_refused_by_name(tunnel, tmp_path):
    with pytest.raises(UsageError, match="speed: not an option of mutation"):
        tunnel.mutate(tmp_path, speed=9)


@pytest.mark.slow
def test_a_time_beyond_what_the_settings_allow_is_lowered_and_said_so(new_tunnel, tmp_path):
    project = write(tmp_path / "p", {"calc.py": CALC, "test_calc.py": TESTS})

    result = new_tunnel(trial_seconds=500.0).mutate(
        project, seconds=1000.0, operators=("arithmetic",), test="pytest", env=QUICK, sample=0)

    assert result.notes == ("475 seconds are the most that the settings allow (trial_seconds)",)
