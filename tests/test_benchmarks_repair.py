import json
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks import __main__ as command  # noqa: E402 -- the package stands beside the tests, not in them
from benchmarks import (  # noqa: E402
    repair,
    repair_errors,
    repair_foreign,
    repair_learning,
    repair_outcomes,
    repair_programs,
    repair_seeded,
    repair_syntax,
)
from benchmarks.ground import SMALL, Ground  # noqa: E402
from benchmarks.repair_corpus import both, faults, lay_out, read, sample, test_file  # noqa: E402
from benchmarks.repair_seeds import seeds  # noqa: E402
from benchmarks.timing import NotRun  # noqa: E402

from windtunnel.core.change import ChangeSet, FileChange  # noqa: E402
from windtunnel.core.problem import Place, Problem  # noqa: E402
from windtunnel.core.repair import FileEdit, FixResult, FixState, Proposal  # noqa: E402

CASE = """\
#### half | value misuse
def half(number):
    if number == 0:  #-
        return 0  #-
    return number // 2  #~ return number // 3
    #+ return None
#### tests
half(4) == 2
raises TypeError: half(None)
#### inputs
n(0, 9)
"""


@pytest.fixture
def ground(tmp_path):
    return Ground(folder=tmp_path, scale=SMALL)


@pytest.fixture
def half():
    return next(read(CASE))


def fixed(project, *, path, text, state=FixState.FIXED):
    changes = ChangeSet(changes=(FileChange(path, "modify", text),))
    return FixResult(id="1", state=state, project=str(project), reason="found", changes=changes, tried=3)


def proposal(text, *, path="half.py", name="comparison"):
    return Proposal(edits=(FileEdit(path=path, text=text),), origin="search", name=name, reason="Because.",
                    place=Place(file=path, line=1), prior=0.1)


def test_a_program_is_read_as_it_should_be_and_as_it_is(half):
    assert (half.name, half.kind, half.tests, half.inputs) == (
        "half", "value misuse", ("half(4) == 2", "raises TypeError: half(None)"), "n(0, 9)")
    assert half.good == "def half(number):\n    if number == 0:\n        return 0\n    return number // 2\n"
    assert half.broken == "def half(number):\n    return number // 3\n    return None\n"


def test_marks_of_other_languages_stand_behind_slashes():
    assert both("let a = 1;  //~ const a = 1;\n}  //-\n//+ b();") == ("let a = 1;\n}\n", "const a = 1;\nb();\n")


def test_each_line_of_the_tests_is_a_test_of_its_own(half):
    assert test_file(half) == (
        "import pytest\n\nfrom half import half\n\n\ndef test_half_1():\n    assert half(4) == 2\n\n\n"
        "def test_half_2():\n    with pytest.raises(TypeError):\n        half(None)\n")


def test_a_program_is_laid_out_broken_with_its_tests(half, tmp_path):
    project = lay_out(half, tmp_path / "project")

    assert {path.name: path.read_text() for path in project.iterdir()} == {
        "half.py": half.broken, "test_half.py": test_file(half)}


def test_the_corpora_are_as_large_as_they_say():
    kinds = Counter(fault.kind for fault in faults("functions"))
    languages = Counter(fault.name.partition("_")[0] for fault in faults("errors"))

    assert (len(faults("classic")) >= 60, set(kinds.values()), len(kinds)) == (True, {30}, 5)
    assert (min(languages.values()) >= 25, sorted(languages)) == (
        True, sorted(language.name for language in repair_errors.LANGUAGES))
    assert len(repair_syntax.broken_files()) >= 100


def test_the_programs_of_other_languages_that_are_held_out_are_as_many_of_each():
    functions = Counter((fault.name.partition("_")[0], fault.kind) for fault in faults(repair_foreign.FOLDER))
    errors = Counter(fault.name.partition("_")[0] for fault in faults(repair_errors.FOLDERS["held out errors"]))

    assert (len(functions), set(functions.values()), len(errors), set(errors.values())) == (20, {4}, 5, {10})


FOREIGN = """\
#### javascript_half | value misuse
function half(number) {
  return Math.floor(number / 2);  //~ return Math.floor(number / 3);
}
#### tests
half(4) === 2
#### inputs
half(9)
"""


@pytest.mark.parametrize(("text", "right"), [("number >> 1", True), ("number / 2", False)])
def test_a_function_of_another_language_is_right_when_it_gives_the_same_where_no_test_asks(text, right, ground):
    if shutil.which("node") is None:
        pytest.skip("node is not installed")
    fault, kit = next(read(FOREIGN)), repair_foreign.KITS[0]
    source = f"function half(number) {{ return {text}; }}\n{kit.end(fault)}"

    found = repair_foreign.measured(
        ground, lambda project, **_: fixed(project, path="subject.js", text=source), kit=kit, fault=fault)

    assert (found.right, found.state) == (right, "fixed")


def test_tests_of_other_languages_are_written_as_those_languages_do():
    fault = next(read(FOREIGN.replace("===", "==")))

    told = {kit.language.name: kit.tests(fault) for kit in repair_foreign.KITS}

    assert ("assert.strictEqual(half(4), 2);" in told["javascript"], "check(1, () -> half(4) == 2);" in told["java"],
            "if got := half(4); got != 2 {" in told["go"], "assert_eq!(half(4), 2);" in told["rust"]) == (True,) * 4


def test_no_file_of_the_corpora_is_too_long_to_be_read():
    long = {path.name for path in (ROOT / "tests/corpus/repair").rglob("*.txt") if len(path.read_text().splitlines()) > 400}

    assert long == set()


def test_a_sample_is_spread_over_the_corpus_and_the_same_each_time():
    those = faults("classic")

    assert [sample(those, 3), sample(those, None)] == [[those[0], those[len(those) // 3], those[2 * len(those) // 3]], those]


@pytest.mark.timeout(300)
def test_good_programs_pass_and_broken_ones_fail_and_behave_otherwise():
    done = subprocess.run([sys.executable, "-m", "benchmarks.repair_prove", "--most", "12"], cwd=ROOT, text=True,
                          capture_output=True, check=False, timeout=280)

    assert (done.returncode, [line.partition(":")[0] for line in done.stdout.splitlines()]) == (0, ["classic", "functions"])


@pytest.mark.timeout(300)
def test_a_program_of_the_corpora_that_is_no_fault_is_named(tmp_path):
    check = (
        "import signal\nfrom benchmarks import repair_prove\nfrom benchmarks.repair_corpus import read\n"
        "signal.signal(signal.SIGVTALRM, repair_prove._late)\n"
        f"print(*repair_prove.weak(next(read({CASE.replace('number // 3', 'number // 2').replace('#-', '')!r}))), sep='\\n')\n")

    done = subprocess.run([sys.executable, "-c", check], cwd=ROOT, text=True, capture_output=True, check=True, timeout=280)

    assert done.stdout.splitlines() == [
        "2 tests", "the broken program passes every test",
        "generated inputs: the broken program is not told from the good one"]


@pytest.mark.parametrize(("source", "told"), [
    ("def half(number):\n    return number >> 1\n", ""),
    ("def half(number):\n    return number // 3\n", "is given, not"),
    ("def half(number):\n    while True:\n        pass\n", "None is given, not"),
    ("half = broken\n", "does not load: NameError"),
    ("import os\nos._exit(0)\n", "cannot be compared"),
])
@pytest.mark.timeout(300)
def test_behaviour_is_compared_on_generated_inputs(source, told, half):
    found = repair_programs.compared(half, source)

    assert (told in found, bool(found)) == (True, bool(told))


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("state", "text", "expected"), [
    (FixState.FIXED, "def half(number):\n    return number // 2\n", (True, True, False, False)),
    (FixState.FIXED, "def half(number):\n    return 2\n", (True, False, True, False)),
    (FixState.DOUBTED, "def half(number):\n    return 2\n", (True, False, False, False)),
    (FixState.PARTLY, "def half(number):\n    return 2\n", (False, None, False, True)),
])
def test_what_is_offered_is_right_wrong_claimed_or_none(state, text, expected, half, ground):
    found = repair_programs.measured(
        ground, lambda project, **_: fixed(project, path="half.py", text=text, state=state), those=[half])

    assert [(one.repaired, one.right, one.wrong_claim, one.abstained) for one in found] == [expected]


def test_a_fix_that_writes_into_the_tests_is_not_right(half, ground):
    found = repair_programs.measured(
        ground, lambda project, **_: fixed(project, path="test_half.py", text=""), those=[half])

    assert [(one.right, one.told) for one in found] == [(False, "writes test_half.py")]


def test_our_own_failure_is_an_outcome_with_its_reason(half, ground):
    def broken(project, **_):
        raise OSError("gone")

    found = repair_programs.measured(ground, broken, those=[half])

    assert [(one.state, one.told, one.abstained) for one in found] == [("failed", "OSError: gone", True)]


def test_the_rows_count_what_was_repaired_right_claimed_wrongly_and_left():
    made = [repair_outcomes.Outcome(name=str(place), kind="k", state=state, seconds=place, right=right) for place, (state, right)
            in enumerate([("fixed", True), ("fixed", False), ("doubted", False), ("not fixed", None)])]

    rows = list(repair_outcomes.rows("part", made, hopes=repair_outcomes.Hopes(repaired=70.0, right=50.0, seconds=1.0)))

    assert [(row.name, row.value, row.met) for row in rows] == [
        ("part: repaired", 75.0, True), ("part: first diff right", 25.0, False), ("part: first diff right, k", 25.0, None),
        ("part: wrong claims", 1, False), ("part: abstained", 1, None), ("part: time of a fix", 1.5, False)]


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("text", "right"), [("print(1 + 1)\n", True), ("pass\n", False)])
def test_a_fix_of_an_error_is_right_when_the_program_prints_the_same(text, right, ground, monkeypatch):
    fault = next(read("#### python_sum | name\nprint(1 + 1)  #~ print(one + 1)\n"))
    monkeypatch.setattr(repair_errors, "faults", lambda _: [fault])
    language = repair_errors.prepared(ground, repair_errors.LANGUAGES[0])

    found = repair_errors.measured(
        ground, lambda project, **_: fixed(project, path="main.py", text=text), language=language, most=None)

    assert [(one.right, one.state) for one in found] == [(right, "fixed")]


def test_a_language_whose_toolchain_is_not_here_is_not_run(ground, monkeypatch):
    monkeypatch.setattr(repair_errors.shutil, "which", lambda _: None)

    with pytest.raises(NotRun, match="node and npm not installed"):
        repair_errors.prepared(ground, repair_errors.LANGUAGES[2])


def test_a_syntax_error_counts_as_right_when_the_tree_is_that_of_the_good_program():
    whole = {one.broken: one.good for one in repair_syntax.broken_files()}

    def propose(scene):
        text = whole[scene.read(scene.paths[0])]
        yield proposal(f"# repaired\n{text}", path=scene.paths[0])

    right, _ = repair_syntax.part_rows(propose, most=None)

    assert (right.value, right.met) == (100.0, True)


def test_a_syntax_error_without_a_proposal_is_not_right():
    right, _ = repair_syntax.part_rows(lambda _: iter(()), most=5)

    assert (right.value, right.met) == (0.0, False)


def test_the_order_is_said_to_learn_when_the_right_proposal_moves_forward(ground):
    good = {fault.broken: fault.good for part in ("classic", "functions") for fault in faults(part)}

    def propose(scene):
        path = scene.paths[0]
        text = scene.read(path)
        yield from (proposal(f"{text}\nx = {number}\n", path=path, name="noise") for number in range(9))
        yield proposal(good[text], path=path, name="swap")

    row, = repair_learning.part_rows(ground, outcomes=20, propose=propose)

    assert (row.value, row.note.partition(";")[0]) == (90.0, "median place 10 before, 1 after 20 outcomes")


def test_seeds_are_of_usual_and_other_sorts_in_turns_and_the_same_each_time(tmp_path):
    (tmp_path / "product").mkdir()
    (tmp_path / "product/a.py").write_text(
        "def f(x, deep=1):\n    if x is None:\n        raise ValueError(x)\n    y = x.a + x.b\n    return sorted(y, key=len)\n")

    drawn = [list(map(str, seeds(tmp_path, "product", reached={"product/a.py:1": "f"}, seed="s"))) for _ in range(2)]

    assert (drawn[0] == drawn[1], [one.partition(":")[0] for one in drawn[0]]) == (
        True, ["operator or number", "wrong attribute", "operator or number", "dropped keyword"])


@pytest.mark.parametrize(("given", "found"), [
    ("def f():\n    return 1\n\n\nclass A:\n    def g(self):\n        return 3\n", ["A.g"]),
    ("X = 1\n\n\ndef f():\n    return 1\n\n\nclass A:\n    def g(self):\n        return 2\n", []),
])
def test_only_functions_that_differ_are_compared(given, found):
    good = "def f():\n    return 1\n\n\nclass A:\n    def g(self):\n        return 2\n"

    assert repair_seeded.changed_functions(good, given) == found


PRODUCT = "def grow(items, by=1):\n    return [item + by for item in items]\n"


@pytest.fixture
def base(ground, monkeypatch):
    project = ground.folder / "package-made"
    (project / "product").mkdir(parents=True)
    (project / "product/__init__.py").write_text(PRODUCT)
    (project / "test_product.py").write_text(
        "from product import grow\n\n\ndef test_grow():\n    assert grow([1, 2]) == [2, 3]\n")
    (project / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    package = repair_seeded.Package(name="made", version="1", product="product", tests=".")
    monkeypatch.setattr(repair_seeded.Package, "make", lambda *_: project)
    monkeypatch.setattr(repair_seeded, "environment", lambda _: sys.executable)
    return repair_seeded.recorded(ground, package)


@pytest.mark.timeout(300)
@pytest.mark.parametrize(("text", "told"), [
    (PRODUCT, ""), (PRODUCT.replace("item + by", "by + item"), ""),
    (PRODUCT.replace("item + by", "item + 1"), "grow: gave"),
    (f"LIMIT = 1\n{PRODUCT}", "product/__init__.py: changed outside of functions"),
])
def test_a_fix_of_a_package_is_compared_by_recorded_and_generated_calls(text, told, base, tmp_path):
    project = tmp_path / "fixed"
    (project / "product").mkdir(parents=True)

    found = repair_seeded.differs(base, project, {"product/__init__.py": text})

    assert (found.startswith(told), bool(found)) == (True, bool(told))


@pytest.mark.timeout(300)
def test_a_fault_of_a_package_counts_when_a_test_notices_it(base, ground):
    drawn = list(repair_seeded.noticed(ground, base, wanted=2))

    assert [str(seed) for seed in drawn] == ["operator or number: product/__init__.py:2: item + by -> (item - by)",
                                             "changed default: product/__init__.py:1: 1 -> 3"]


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_group_runs_in_its_smallest_setting_and_prints_its_rows(capsys):
    code = command.main(["--small", "--json", "--only", "repair"])

    rows = json.loads(capsys.readouterr().out)["rows"]
    unmeasured = [(row["name"], row["missing"], row["note"]) for row in rows if row["value"] is None]
    told = ("repaired", "first diff right", "wrong claims", "abstained", "time of a fix")
    assert (code, unmeasured) == (0, [])
    assert [row["name"] for row in rows] == [
        *(f"classic: {name}" for name in told),
        *(f"functions: {name}" for name in (*told[:2], "first diff right, excess logic", *told[2:])),
        "error to diff, python: first diff right", *(f"error to diff: {name}" for name in told),
        "syntax errors: first diff right", "syntax errors: processor time to the first diff",
        "learning: place of the right proposal falls by"]


def test_a_part_that_breaks_leaves_the_others_measured():
    def broken():
        raise OSError("gone")

    def absent():
        raise NotRun("no registry")

    rows = list(repair._guarded({"first": broken, "second": absent}, only=()))

    assert [(row.name, row.missing, row.failed) for row in rows] == [
        ("first", "failed: OSError: gone", True), ("second", "no registry", False)]


def test_parts_can_be_asked_for_alone():
    asked = {name: lambda name=name: iter([repair_outcomes.Row(group="repair", name=name)]) for name in ("first", "second")}

    assert [row.name for row in repair._guarded(asked, only=("second",))] == ["second"]


def test_the_behaviour_of_a_problem_is_told_in_one_line_of_json(half):
    asked = {"good": half.good, "other": half.good, "name": "half", "inputs": half.inputs}

    done = subprocess.run([sys.executable, "-I", ROOT / "benchmarks/repair_behaviour.py"], input=json.dumps(asked) + "\n",
                          text=True, capture_output=True, check=True, timeout=120)

    assert (done.stdout, isinstance(repair_learning._problem(half), Problem)) == ('""\n', True)
