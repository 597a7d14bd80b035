"""Whole runs over other languages: lines, kept fates, several languages, the command line."""

from __future__ import annotations

import json

import pytest
from foreign_projects import CALC, GO, NODE, PROJECTS, judge, mutant, need, package, written

from windtunnel.core.errors import LanguageMissing, UsageError
from windtunnel.engine.mutation import Mutation, mutate
from windtunnel.store.fates import Fates

pytestmark = [pytest.mark.timeout(300), pytest.mark.xdist_group("runners")]
SHOP = {"calc.js": CALC, "test/calc.test.js": NODE, "package.json": package("node --test")}
KILLED, SURVIVED = mutant("calc.js", CALC, "return most;", "return n;"), mutant("calc.js", CALC, "n > most", "n >= most")
PYTHON = {"shop.py": "def price(amount):\n    return amount - 1\n", "pytest.ini": "[pytest]\n",
          "test_shop.py": "from shop import price\n\ndef test_price(): assert price(5) == 4\n"}
QUICK = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


@pytest.fixture
def shop(tmp_path):
    need("node:test")
    return written(tmp_path / "shop", SHOP)


@pytest.fixture
def memory(tmp_path):
    fates = Fates(tmp_path / "fates.db")
    yield fates
    fates.close()


def ways(result):
    return [(str(one.fate), one.way) for one in result.judged]


def test_fates_are_kept_while_the_code_and_its_tests_are_the_same(tunnel, shop, memory):
    judge(tunnel, shop, "calc.js", [KILLED, SURVIVED], memory=memory)

    result = judge(tunnel, shop, "calc.js", [KILLED, SURVIVED], memory=memory)

    assert (ways(result), result.tries) == ([("killed", "kept"), ("survived", "kept")], 0)
    assert (str(result.state), result.notes) == ("judged", ("every fate is kept from before: no test was run",))


@pytest.mark.parametrize("path", ["test/calc.test.js", "package.json"])
def test_fates_are_found_anew_when_something_that_they_rest_on_changes(tunnel, shop, memory, path):
    judge(tunnel, shop, "calc.js", [KILLED], memory=memory)
    (shop / path).write_text((shop / path).read_text() + "\n")

    assert ways(judge(tunnel, shop, "calc.js", [KILLED], memory=memory)) == [("killed", "alone")]


def test_fates_of_go_are_kept_when_a_package_changes_that_has_nothing_to_do_with_them(tunnel, tmp_path, memory):
    need("go")
    project = written(tmp_path / "shop", {**PROJECTS["go"][0], "other/other.go": "package other\n\nconst X = 1\n"})
    one = mutant("calc/calc.go", GO, "return most", "return n")
    judge(tunnel, project, "calc/calc.go", [one], memory=memory)
    (project / "other/other.go").write_text("package other\n\nconst X = 2\n")

    assert ways(judge(tunnel, project, "calc/calc.go", [one], memory=memory)) == [("killed", "kept")]


def test_each_mutant_is_told_of_once_with_how_many_there_will_be(tunnel, shop):
    heard = []

    judge(tunnel, shop, "calc.js", [KILLED, SURVIVED], tell=lambda done, total, one: heard.append((done, total, str(one.fate))))

    assert sorted((done, total) for done, total, _ in heard) == [(1, 2), (2, 2)]
    assert {fate for _, _, fate in heard} == {"killed", "survived"}


def test_a_project_of_two_languages_has_the_mutants_of_both_and_one_score(tunnel, shop, memory):
    written(shop, PYTHON)

    result = mutate(tunnel.rig, Mutation(
        project=shop, lines={"calc.js": {3}, "shop.py": {2}}, operators=("arithmetic", "returns"), env=QUICK, memory=memory))

    assert {one.mutant.path for one in result.judged} == {"calc.js", "shop.py"}
    assert (str(result.state), result.tests) == ("judged", 3)
    assert [one.score for one in memory.scores(str(shop))] == [result.score]


def test_a_language_whose_tests_prove_nothing_makes_the_whole_prove_nothing(tunnel, shop):
    written(shop, {**PYTHON, "test/calc.test.js": "const test = require('node:test');\nrequire('../calc');\ntest('idles', () => {});\n"})

    result = mutate(tunnel.rig, Mutation(
        project=shop, lines={"calc.js": {3}, "shop.py": {2}}, operators=("arithmetic", "returns"), env=QUICK))

    assert (str(result.state), result.score) == ("a forced failure was not noticed", None)
    assert "JavaScript and TypeScript: a forced failure was not noticed" in result.notes


def test_files_without_a_command_that_judges_them_are_not_mutated(tunnel, tmp_path):
    project = written(tmp_path / "shop", {**PYTHON, "static/page.js": CALC})

    result = mutate(tunnel.rig, Mutation(project=project, operators=("arithmetic",), env=QUICK, test="pytest"))

    assert {one.mutant.path for one in result.judged} == {"shop.py"}


def test_what_keeps_another_language_from_being_judged_is_told_beside_the_fates_of_python(tunnel, shop, monkeypatch):
    def missing(*_):
        raise LanguageMissing("pip install 'windtunnel[syntax]'")

    written(shop, PYTHON)
    monkeypatch.setattr("windtunnel.engine.foreign.parts.made", missing)

    result = mutate(tunnel.rig, Mutation(project=shop, operators=("arithmetic",), env=QUICK))

    assert [(one.mutant.path, str(one.fate)) for one in result.judged] == [("shop.py", "killed")]
    assert "JavaScript and TypeScript: not judged: pip install 'windtunnel[syntax]'" in result.notes


def test_an_operator_that_nobody_knows_is_refused(tunnel, shop):
    with pytest.raises(UsageError, match="nonsense"):
        mutate(tunnel.rig, Mutation(project=shop, operators=("nonsense",)))


def test_the_command_line_judges_shows_and_fails_below_a_score(cli, shop):
    done = cli("mutate", "--project", str(shop), "--lines", "calc.js:2-3", "--operators", "boundary,returns", "--no-keep", "--least", "0.99",
               "--json", seconds=200)

    told = json.loads(done.stdout)
    assert (done.returncode, told["state"], told["tests"]) == (1, "judged", 2)
    assert {(one["mutant"]["operator"], one["fate"], one["way"]) for one in told["judged"]} >= {("boundary", "survived", "alone")}


def test_the_command_line_shows_survivors_as_diffs(cli, shop):
    done = cli("mutate", "--project", str(shop), "--lines", "calc.js:2", "--operators", "boundary", "--no-keep", seconds=200)

    assert done.returncode == 0, done.stderr
    assert ("-  if (n > most) {" in done.stdout, "+  if (n >= most) {" in done.stdout, "all tests passed" in done.stdout) == (True, True, True)
