"""What must hold before a fate in another language is believed."""

from __future__ import annotations

import pytest
from foreign_projects import CALC, NODE, judge, mutant, need, package, written

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("runners")]
KILLED = mutant("calc.js", CALC, "return most;", "return n;")
IDLE = "const test = require('node:test');\nrequire('../calc');\ntest('does nothing', () => {});\n"


@pytest.fixture
def project(tmp_path):
    """A project for node:test whose one test file is given."""
    need("node:test")
    return lambda tests: written(tmp_path / "shop", {
        "calc.js": CALC, "package.json": package("node --test"), **({"test/calc.test.js": tests} if tests else {})})


@pytest.mark.parametrize(("tests", "state"), [
    (IDLE, "a forced failure was not noticed"),
    (NODE.replace("[10, 9]", "[1, 1]").replace(", 3)", ", 4)"), "no test passes"),
    ("require('../calc');\nrequire('node:test');\n", "no tests"),
    ("const test = require('node:test');\ntest('waits', () => { for (;;) {} });\n", "the tests did not come to their end"),
])
def test_tests_that_prove_nothing_give_no_fate(tunnel, project, tests, state):
    result = judge(tunnel, project(tests), "calc.js", [KILLED], seconds=8.0 if "for (;;)" in tests else 100.0)

    assert (str(result.state), result.score, [str(one.fate) for one in result.judged]) == (state, None, ["not judged"])


def test_a_test_that_fails_without_a_mutant_kills_none_and_is_named(tunnel, project):
    tests = NODE + "test('is wrong', () => assert.strictEqual(total([]), 1));\n"

    result = judge(tunnel, project(tests), "calc.js", [KILLED, mutant("calc.js", CALC, "n > most", "n >= most")])

    assert (result.failing, result.tests) == (("test/calc.test.js > is wrong",), 2)
    assert [(str(one.fate), one.by) for one in result.judged] == [("killed", "test/calc.test.js > clips"), ("survived", "")]


def test_what_had_no_turn_is_not_judged_and_said_to_be_so(tunnel, project):
    result = judge(tunnel, project(NODE), "calc.js", [KILLED], most=0)

    assert (str(result.state), [str(one.fate) for one in result.judged]) == ("no mutant was judged", ["not judged"])
