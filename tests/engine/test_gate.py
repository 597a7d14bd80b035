"""Changes of small projects, judged by what their tests notice, in a real sandbox."""

from __future__ import annotations

import pytest
from trials import QUICK, create, delete, modify, naive, state, write

from windtunnel.core.errors import UsageError
from windtunnel.core.gate import GateState, GateVerdict, Thresholds
from windtunnel.core.mutation import Fate
from windtunnel.engine.gate import Gate, gate

pytestmark = pytest.mark.slow

SHOP = '''\
"""Prices."""


def price(amount, discount):
    total = amount - discount
    return total


def label(text):
    return text.strip()


def spare():
    return 1
'''
FIXED = SHOP.replace("    return total\n", "    if total < 0:\n        return 0\n    return total\n")
TESTS = """\
from shop import label, price


def test_price():
    assert price(5, 2) == 3


def test_label():
    assert label(" a ") == "a"
"""
NEW_TEST = TESTS + "\n\ndef test_nothing_is_sold_below_nothing():\n    assert price(2, 5) == 0\n    assert price(3, 2) == 1\n"
EMPTY_TEST = TESTS + "\n\ndef test_nothing_is_sold_below_nothing():\n    price(2, 5)\n"
GOOD, NOT_GOOD, NOBODY_KNOWS = GateVerdict.GOOD, GateVerdict.NOT_GOOD, GateVerdict.NOTHING_JUDGED


@pytest.fixture
def project(tmp_path):
    return write(tmp_path / "project", {"shop.py": SHOP, "test_shop.py": TESTS})


@pytest.fixture
def judge(tunnel, project):
    """The verdict on a change of the project."""
    def of(*changes, **options):
        given = {"test": "pytest", "env": QUICK, "sample": 0, "jobs": 2, "seconds": 150.0}
        return gate(tunnel.rig, Gate(project=project, changes=changes, **{**given, **options}))

    return of


def ends(result):
    return result.verdict, result.state, result.hollow


def reverts(result):
    return [(each.part, each.path, each.line, str(each.fate)) for each in result.reverts]


def test_a_fix_with_a_test_that_fails_without_it_is_good(judge, project):
    before = state(project)
    result = judge(modify("shop.py", FIXED), modify("test_shop.py", NEW_TEST))

    assert ends(result) == (GOOD, GateState.JUDGED, False)
    assert reverts(result) == [("change", "shop.py", 6, "killed"), ("hunk", "shop.py", 6, "killed")]
    assert result.reverts[0].by == "test_shop.py::test_nothing_is_sold_below_nothing"
    assert state(project) == before


def test_a_fix_that_no_test_fails_without_is_hollow_and_refused(judge):
    result = judge(modify("shop.py", FIXED))

    assert ends(result) == (NOT_GOOD, GateState.JUDGED, True)
    assert result.reasons[0] == "hollow: no test fails without the change"
    assert result.untested == {"shop.py": (7,)}


def test_a_plain_run_of_the_tests_passes_a_hollow_fix(project):
    write(project, {"shop.py": FIXED})

    assert naive(project).returncode == 0


def test_a_fix_whose_test_asserts_nothing_is_hollow_and_refused(judge):
    result = judge(modify("shop.py", FIXED), modify("test_shop.py", EMPTY_TEST))

    assert ends(result) == (NOT_GOOD, GateState.JUDGED, True)
    assert [one.test for one in result.weak if one.reason == "asserts nothing"] == [
        "test_shop.py::test_nothing_is_sold_below_nothing"]
    assert ("-        return 0\n+        return 1", Fate.SURVIVED) in [(one.diff, one.fate) for one in result.survivors]


def test_a_partly_hollow_change_shows_the_hunk_that_nothing_notices(judge):
    both = FIXED.replace("text.strip()", "text.strip() or text")
    result = judge(modify("shop.py", both), modify("test_shop.py", NEW_TEST), thresholds=Thresholds(least=0))

    assert ends(result) == (GOOD, GateState.JUDGED, False)
    assert [(each.line, each.diff) for each in result.hollow_parts] == [
        (12, "-    return text.strip() or text\n+    return text.strip()")]


def test_parts_that_only_break_without_each_other_do_not_hide_that_the_whole_is_hollow(judge):
    """Without its helper the code crashes, which a test notices; without either nothing does."""
    new = SHOP.replace("text.strip()", "cleaned(text)") + "\n\ndef cleaned(text):\n    return text.strip()\n"
    result = judge(modify("shop.py", new))

    assert ends(result) == (NOT_GOOD, GateState.JUDGED, True)
    assert reverts(result)[:3] == [
        ("change", "shop.py", 10, "survived"), ("hunk", "shop.py", 10, "survived"), ("hunk", "shop.py", 15, "killed")]


def test_only_changed_lines_are_mutated(judge):
    result = judge(modify("shop.py", FIXED))

    assert {(one.path, one.line) for one in result.survivors} <= {("shop.py", 6), ("shop.py", 7)}
    assert sum(result.counts.values()) < 10


def test_a_score_below_the_least_is_refused(judge):
    changes = modify("shop.py", FIXED), modify("test_shop.py", NEW_TEST)
    result = judge(*changes, thresholds=Thresholds(least=0.9))

    assert ends(result) == (NOT_GOOD, GateState.JUDGED, False)
    assert result.reasons == ("score 0.50, below 0.9: 2 of 4 seeded defects in changed lines noticed",)


def test_a_change_that_is_to_alter_nothing_is_good_where_that_is_allowed(judge):
    new = SHOP.replace("    total = amount - discount\n    return total", "    return amount - discount")
    result = judge(modify("shop.py", new), thresholds=Thresholds(hollow="allow"))

    assert ends(result) == (GOOD, GateState.JUDGED, True)


def test_deleted_lines_are_put_back_and_judged(judge):
    new = SHOP.replace("    total = amount - discount\n    return total", "    total = amount - discount\n    total += 0\n    return total")
    result = judge(modify("shop.py", new), modify("test_shop.py", TESTS), thresholds=Thresholds(least=0))

    assert ends(result) == (NOT_GOOD, GateState.JUDGED, True)


def test_a_change_that_only_deletes_is_good_where_a_test_fails_without_it(tunnel, tmp_path):
    project = write(tmp_path / "own", {
        "shop.py": SHOP.replace("    return total", "    total += 1\n    return total"), "test_shop.py": TESTS})
    result = gate(tunnel.rig, Gate(project=project, changes=[modify("shop.py", SHOP)], test="pytest", env=QUICK))

    assert ends(result) == (GOOD, GateState.DELETES_ONLY, False)
    assert result.reasons == ("test_shop.py::test_price fails without the change",)


@pytest.mark.parametrize(("changes", "expected"), [
    ([modify("test_shop.py", NEW_TEST.replace("price(2, 5) == 0", "price(2, 5) < 0"))], GateState.TESTS_ONLY),
    ([create("notes.txt", "words\n")], GateState.NOT_PYTHON),
    ([create("docs/conf.py", "x = 1\n"), create("a.js", "1\n")], GateState.NOT_PYTHON),
    ([modify("shop.py", SHOP.replace("Prices.", "All prices."))], GateState.NOTHING_RUNS),
    ([modify("shop.py", SHOP.replace("return 1", "return ("))], GateState.NOT_COMPILED),
    ([modify("shop.py", SHOP)], GateState.NOTHING_CHANGED),
    ([modify("shop.py", SHOP.replace("\n\ndef spare():\n    return 1\n", ""))], GateState.DELETES_ONLY),
    ([modify("shop.py", FIXED), delete("test_shop.py")], GateState.NO_TESTS),
    ([modify("shop.py", FIXED), modify("test_shop.py", "def test():\n    assert False\n")], GateState.NO_TEST_PASSES),
    ([modify("shop.py", FIXED), modify("test_shop.py", "import shop\n\n\ndef test():\n    try:\n        shop.price(2, 1)\n"
                                                       "    except BaseException:\n        pass\n")], GateState.NOT_NOTICED),
], ids=lambda value: value.name.lower() if isinstance(value, GateState) else "")
def test_what_is_not_judged_has_a_state_of_its_own_and_is_not_good(judge, changes, expected):
    result = judge(*changes, thresholds=Thresholds(least=0))

    assert (result.verdict, result.state, result.success) == (NOBODY_KNOWS, expected, False)


def test_a_project_that_pytest_does_not_test_has_no_tests_here(judge):
    result = judge(modify("shop.py", FIXED), test="python -m unittest")

    assert (result.verdict, result.state) == (NOBODY_KNOWS, GateState.NO_TESTS)
    assert "mutants are judged by pytest" in result.notes[0]


def test_mutants_that_never_end_are_not_noticed(judge):
    loop = SHOP.replace("    return 1\n", "    number = 4\n    while number != 0:\n        number -= 2\n    return 1\n")
    tests = TESTS.replace("import label, price", "import label, price, spare") + "\n\ndef test_spare():\n    assert spare() == 1\n"
    result = judge(modify("shop.py", loop), modify("test_shop.py", tests), thresholds=Thresholds(least=0.9, hollow="allow"))

    assert (result.counts[Fate.TIMEOUT], result.verdict is GOOD) == (3, False)


def test_a_change_of_two_files_is_put_back_in_both_at_once(judge):
    """Each file alone breaks without the other; the tests as they are do not miss the two together."""
    changes = [modify("shop.py", "from words import clean\n" + SHOP.replace("text.strip()", "clean(text)")),
               create("words.py", "def clean(text):\n    return text.strip()\n")]
    result = judge(*changes)

    assert ends(result) == (NOT_GOOD, GateState.JUDGED, True)
    assert reverts(result)[0] == ("change", "", 0, "survived")


def test_a_sound_change_of_two_files_is_good(judge):
    changes = [modify("shop.py", "from words import clean\n" + SHOP.replace("text.strip()", "clean(text)")),
               create("words.py", "def clean(text):\n    return text.strip().lower()\n"),
               modify("test_shop.py", TESTS.replace('label(" a ")', 'label(" A ")'))]
    result = judge(*changes)

    assert ends(result) == (GOOD, GateState.JUDGED, False)
    assert (reverts(result)[0], result.reverts[0].by) == (("change", "", 0, "killed"), "test_shop.py::test_label")


def test_tests_that_fail_with_the_change_are_set_aside_and_named(judge):
    wrong = NEW_TEST + "\n\ndef test_wrong():\n    assert price(1, 1) == 7\n"
    result = judge(modify("shop.py", FIXED), modify("test_shop.py", wrong))

    assert (ends(result), result.set_aside) == ((GOOD, GateState.JUDGED, False), ("test_shop.py::test_wrong",))


@pytest.mark.parametrize("path", ["../shop.py", "/etc/passwd", "a/../../b.py"])
def test_a_path_that_leads_out_of_the_project_is_refused(judge, path):
    with pytest.raises(UsageError):
        judge(modify(path, FIXED))


def test_a_constant_that_only_others_of_its_package_load_is_noticed(tunnel, tmp_path):
    project = write(tmp_path / "heat", {
        "heat/__init__.py": "", "heat/offsets.py": "KELVIN = 273\n",
        "heat/convert.py": "from .offsets import KELVIN\n\n\ndef convert(a):\n    return a + KELVIN\n",
        "tests/conftest.py": "", "tests/test_heat.py": "from heat.convert import convert\n\n\ndef test_it():\n    assert convert(0) == 273.15\n",
        "pytest.ini": "[pytest]\npythonpath = .\n"})

    found = gate(tunnel.rig, Gate(project=project, changes=[modify("heat/offsets.py", "KELVIN = 273.15\n")], test="pytest", env=QUICK,
                                  jobs=2, seconds=150.0))

    assert (found.verdict, found.reverts[0].fate, found.reverts[0].by) == (GOOD, Fate.KILLED, "tests/test_heat.py::test_it")
