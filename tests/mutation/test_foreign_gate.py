"""The gate on changes in other languages: put back, hollow, what does not compile without the change, several languages."""

from __future__ import annotations

import pytest
from foreign_projects import CALC, GO, GO_TEST, NODE, PROJECTS, RUST, need, package, written

from windtunnel.core.change import FileChange
from windtunnel.engine.gate import Gate, gate

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("runners")]
WRONG = CALC.replace("return most;", "return n;")
NEW = "exports.half = (n) => {\n  return n / 2;\n};\n"
HALF = "const { half } = require('../calc');\ntest('halves', () => assert.strictEqual(half(4), 2));\n"
GO_FILES = PROJECTS["go"][0]


@pytest.fixture
def judged(tunnel, tmp_path):
    """The gate's word on files of a project that become others."""

    def run(files, changed, tool="node:test", **options):
        need(tool)
        project = written(tmp_path / "shop", files)
        changes = [FileChange(path, "modify" if path in files else "create", text) for path, text in changed.items()]
        return gate(tunnel.rig, Gate(project=project, changes=changes, **options))

    return run


def shop(**files):
    return {"calc.js": CALC, "test/calc.test.js": NODE, "package.json": package("node --test"), **files}


def put_back(result):
    return [(each.part, each.line, str(each.fate), each.by) for each in result.reverts]


def test_a_fix_that_a_test_misses_is_good(judged):
    result = judged(shop(**{"calc.js": WRONG}), {"calc.js": CALC})

    assert (str(result.verdict), str(result.state), result.hollow, result.tests) == ("good", "judged", False, 2)
    assert put_back(result) == [(part, 3, "killed", "test/calc.test.js > clips") for part in ("change", "hunk")]


def test_a_change_that_no_test_misses_is_hollow(judged):
    result = judged(shop(), {"calc.js": CALC.replace("n > most", "n >= most")})

    assert (str(result.verdict), result.hollow, result.reasons[0]) == (
        "not good", True, "hollow: no test fails without the change")


@pytest.mark.parametrize(("changed", "state"), [
    ({"calc.js": CALC.replace("return n;", "return n; // as it is")}, "the change touches nothing that runs"),
    ({"calc.js": CALC.replace("let sum = 0;", "let sum = = 0;")}, "the changed code does not compile"),
    ({"test/calc.test.js": NODE + "\n"}, "the change touches tests alone"),
])
def test_what_cannot_be_judged_has_a_state_of_its_own(judged, changed, state):
    result = judged(shop(), changed)

    assert (str(result.verdict), str(result.state)) == ("nothing judged", state)


def test_a_pragma_of_the_change_exempts_nothing_and_is_shown(judged):
    result = judged(shop(**{"calc.js": WRONG}), {"calc.js": CALC.replace("return most;", "return most; // pragma: no mutate")})

    assert result.exempting == ("calc.js:3: return most; // pragma: no mutate",)
    assert sum(result.counts.values()) > 0


def test_tests_that_cannot_be_built_without_the_change_notice_it(judged):
    added = GO + "\nfunc Half(n int) int {\n\treturn n / 2\n}\n"
    tests = GO_TEST + '\nfunc TestHalf(t *testing.T) {\n\tif Half(4) != 2 {\n\t\tt.Fatal("half")\n\t}\n}\n'
    result = judged(GO_FILES, {"calc/calc.go": added, "calc/calc_test.go": tests}, tool="go")

    whole = result.reverts[0]
    assert (str(result.verdict), whole.part, str(whole.fate)) == ("good", "change", "killed")
    assert "does not compile: calc/calc_test.go" in whole.by


def test_a_test_inside_the_changed_file_of_rust_notices_the_change(judged):
    fixed = RUST.replace("n + 1", "n + 2").replace("    fn sums() {", "    fn adds() {\n        assert_eq!(unused(1), 3);\n    }\n\n    #[test]\n    fn sums() {")
    result = judged(PROJECTS["cargo"][0], {"src/lib.rs": fixed}, tool="cargo")

    assert (str(result.verdict), result.hollow, put_back(result)[0]) == (
        "good", False, ("change", 19, "killed", "src/lib.rs::tests::adds"))


def test_a_change_of_several_files_is_put_back_in_all_of_them_at_once(judged):
    result = judged(shop(), {"calc.js": CALC + NEW, "more.js": "exports.more = 1 + 1;\n", "test/calc.test.js": NODE + HALF})

    assert (result.hollow, put_back(result)[0]) == (False, ("change", 0, "killed", "test/calc.test.js > halves"))


PYTHON = {"shop.py": "def price(amount):\n    return amount - 1\n",
          "test_shop.py": "from shop import price\n\ndef test_price(): assert price(5) == 4\n"}


def test_each_language_of_a_change_is_judged_by_its_own_tests(judged):
    files = shop(**{"calc.js": WRONG, **PYTHON, "shop.py": PYTHON["shop.py"].replace("- 1", "- 2"), "pytest.ini": "[pytest]\n"})

    result = judged(files, {"calc.js": CALC, "shop.py": PYTHON["shop.py"]}, env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})

    assert (str(result.verdict), result.tests, result.hollow) == ("good", 3, False)
    assert {each.path: (str(each.fate), each.by) for each in result.reverts if each.part == "hunk"} == {
        "calc.js": ("killed", "test/calc.test.js > clips"), "shop.py": ("killed", "test_shop.py::test_price")}


def test_a_part_in_another_language_that_no_test_misses_leaves_the_rest_unexcused(judged):
    files = shop(**{**PYTHON, "shop.py": PYTHON["shop.py"].replace("- 1", "- 2"), "pytest.ini": "[pytest]\n"})

    result = judged(files, {"calc.js": CALC.replace("n + 1", "n + 2"), "shop.py": PYTHON["shop.py"]},
                    env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"})

    assert [(each.path, str(each.fate)) for each in result.hollow_parts] == [("calc.js", "survived")]
    assert {one.path for one in result.survivors} >= {"calc.js"}
