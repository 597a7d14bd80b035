"""Fixes that pass their tests, asked in a real sandbox whether they mend the fault or only what the tests look at."""

from __future__ import annotations

import pytest
from trials import QUICK, modify, state, write

from windtunnel.core.gate import GateVerdict, Thresholds
from windtunnel.engine.gate import Gate, gate

pytestmark = pytest.mark.slow

BILL = '''\
def split_bill(cents, people):
    """Shares that add up to the bill, the larger ones first."""
    share = round(cents / people)
    return [share] * people
'''
SOUND = BILL.replace("share = round(cents / people)\n    return [share] * people", """\
share, rest = divmod(cents, people)
    return [share + 1] * rest + [share] * (people - rest)""")
SPECIAL = BILL.replace("    return [share] * people\n", """\
    shares = [share] * people
    if cents % 3 == 1:
        shares[0] += 1
    return shares
""")
LOADED = BILL.replace("    return [share] * people\n", """\
    shares = [share] * people
    shares[0] += cents - share * people
    return shares
""")
TESTS = """\
from bill import split_bill


def test_even():
    assert split_bill(900, 3) == [300, 300, 300]


def test_by_two():
    assert split_bill(600, 2) == [300, 300]


def test_a_rest():
    assert split_bill(1000, 3) == [334, 333, 333]
"""
ANYTHING = Thresholds(least=0.0)


@pytest.fixture
def judge(tunnel, tmp_path):
    """The verdict on a change of a small project."""
    def of(old, new, *, tests=TESTS, **options):
        project = write(tmp_path / "project", {"bill.py": old, "test_bill.py": tests})
        before = state(project)
        result = gate(tunnel.rig, Gate(
            project=project, changes=[modify("bill.py", new)],
            **{"test": "pytest", "env": QUICK, "sample": 0, "jobs": 2, "thresholds": ANYTHING, **options}))
        assert state(project) == before
        return result

    return of


def test_a_sound_fix_stays_good(judge):
    result = judge(BILL, SOUND)

    assert (result.verdict, result.doubt.state in ("none", "doubtful"), result.doubt.inputs > 100) == (GateVerdict.GOOD, True, True)


def test_a_fix_of_the_tests_own_inputs_is_refused_with_a_witness(judge):
    result = judge(BILL, SPECIAL)

    assert (result.verdict, result.reasons) == (
        GateVerdict.NOT_GOOD, ("hollow: it brings a literal of the calls that it repairs (3)",))
    assert (result.doubt.witness.function, "cents=" in result.doubt.witness.arguments) == ("split_bill", True)


def test_a_new_word_of_the_domain_is_no_literal_of_the_tests(judge):
    old = "def read(text):\n    return text.split(' ', 1)[-1] if text.startswith('say ') else None\n"
    new = old.replace("else None", "else text.split(' ', 1)[-1].upper() if text.split(' ')[0] == 'shout' else None")
    tests = ("from bill import read\n\n\ndef test_say():\n    assert read('say no') == 'no'\n\n\n"
             "def test_shout():\n    assert (read('shout no'), read('shoutno')) == ('NO', None)\n")

    assert "literal" not in judge(old, new, tests=tests).doubt.reason


def test_without_the_question_the_same_fix_is_good(judge):
    result = judge(BILL, SPECIAL, thresholds=Thresholds(least=0.0, doubt="skip"))

    assert (result.verdict, result.doubt) == (GateVerdict.GOOD, None)


def test_a_doubt_can_be_allowed_and_is_told_all_the_same(judge):
    result = judge(BILL, SPECIAL, thresholds=Thresholds(least=0.0, doubt="allow"))

    assert (result.verdict, result.doubt.state) == (GateVerdict.GOOD, "hollow")


def test_a_fix_that_other_patches_outvote_is_refused(judge):
    other = SOUND.replace("divmod(cents, people)", "cents // people, cents % people")
    result = judge(BILL, LOADED, alternatives=[[modify("bill.py", SOUND)], [modify("bill.py", other)]])

    assert (result.verdict, result.reasons) == (
        GateVerdict.NOT_GOOD, ("hollow: 2 of the 2 other patches answer alike, and otherwise than the change",))


def test_patches_that_fail_the_tests_have_no_vote(judge):
    wrong = [[modify("bill.py", BILL.replace("round(", f"{number} + round("))] for number in (5, 5, 7)]

    assert judge(BILL, SOUND, alternatives=wrong).verdict is GateVerdict.GOOD


def test_what_answers_differently_each_time_is_not_judged(judge):
    old = "import random\n\n\ndef draw(n):\n    return random.random() * n\n"
    tests = "from bill import draw\n\n\ndef test_draw():\n    assert draw(3) < 0 or draw(4) <= 0\n"
    result = judge(old, old.replace("* n", "* -n"), tests=tests)

    assert (result.verdict, result.doubt.state, result.doubt.reason) == (
        GateVerdict.GOOD, "not judged", "the changed code answers differently each time it is asked")


def test_arguments_that_cannot_be_copied_are_not_judged(judge):
    old = "def first(source):\n    return next(source) + 1\n"
    tests = "from bill import first\n\n\ndef test_first():\n    assert first(n for n in [4]) == 4\n"
    result = judge(old, old.replace(" + 1", ""), tests=tests)

    assert (result.doubt.state, result.doubt.reason) == ("not judged", "the arguments of its calls cannot be copied")


def test_a_new_function_alone_is_not_judged(judge):
    tests = TESTS.replace("import split_bill", "import half, split_bill").replace(
        "== [334, 333, 333]", "!= []\n    assert half(4) == 2")
    result = judge(BILL, BILL + "\n\ndef half(n):\n    return n // 2\n", tests=tests)

    assert (result.doubt.state, result.doubt.reason) == ("not judged", "no function was changed that was there before")


def test_a_change_of_many_functions_is_not_judged(judge):
    old = "".join(f"def f{number}(n):\n    return n\n\n\n" for number in range(6))
    tests = "import bill\n\n\ndef test_all():\n    assert [getattr(bill, f'f{n}')(1) for n in range(6)] == [2] * 6\n"
    result = judge(old, old.replace("return n", "return n + 1"), tests=tests)

    assert (result.doubt.state, result.doubt.reason) == ("not judged", "the change touches more than 4 functions")


def test_a_method_is_compared_with_the_state_of_its_object(judge):
    old = ("class Till:\n    def __init__(self):\n        self.items = []\n\n    def add(self, price):\n"
           "        self.items.append(price)\n        return sum(self.items) if len(self.items) < 2 else 0\n")
    new = old.replace(" if len(self.items) < 2 else 0", "")
    tests = ("from bill import Till\n\n\ndef test_add():\n    till = Till()\n"
             "    assert [till.add(n) for n in (2, 3, 5)] == [2, 5, 10]\n")
    result = judge(old, new, tests=tests)

    assert (result.verdict, result.doubt.state != "not judged", result.doubt.inputs > 50) == (GateVerdict.GOOD, True, True)


def test_a_hostile_value_stays_in_the_sandbox_and_its_words_are_bounded(judge):
    old = ("class Loud:\n    def __init__(self, n):\n        self.n = n\n\n    def __repr__(self):\n"
           "        return '\\x1b[31m' * 10000\n\n    def __eq__(self, other):\n        return self.n == other.n\n\n\n"
           "def loud(n):\n    return Loud(n + 1)\n")
    tests = "from bill import Loud, loud\n\n\ndef test_loud():\n    assert loud(3) == Loud(3)\n"
    result = judge(old, old.replace("Loud(n + 1)", "Loud(3 if n == 3 else n + 1)"), tests=tests)
    witness = result.doubt.witness

    assert (result.doubt.state, all(len(part) <= 600 for part in (witness.change, witness.before, witness.other))) == ("hollow", True)


def test_a_fix_that_hangs_elsewhere_does_not_hang_the_gate(judge):
    old = "def halve(n):\n    return n // 2 + 1\n"
    new = "def halve(n):\n    while n > 1000 or n < 0:\n        pass\n    return n // 2\n"
    tests = "from bill import halve\n\n\ndef test_halve():\n    assert [halve(8), halve(9), halve(100)] == [4, 4, 50]\n"
    result = judge(old, new, tests=tests)

    assert result.doubt.state in ("none", "doubtful", "hollow", "not judged")


def test_tests_that_take_long_together_are_not_run_again_for_it(judge):
    tests = TESTS + "\n\ndef test_slow():\n    import time\n    end = time.process_time() + 4.5\n    while time.process_time() < end:\n        pass\n"

    doubt = judge(BILL, SPECIAL, tests=tests).doubt

    assert (doubt.state, doubt.reason) == ("not judged", "all tests together take more than 4 seconds of the processor")
