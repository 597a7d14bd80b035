"""What judging in other languages is made of: fewer tests, coverage, copies, files with tests in them."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from foreign_projects import GO, RUST, mutant, need, written

from windtunnel.checks.project import Folder
from windtunnel.core.ports import Rig
from windtunnel.core.result import Artifact
from windtunnel.core.trial import Check, Checks, Kind
from windtunnel.engine.foreign.coverage import Coverage, _of_go, _of_jest, _of_node
from windtunnel.engine.foreign.door import concerns
from windtunnel.engine.foreign.families import is_product
from windtunnel.engine.foreign.inline_tests import inline_tests
from windtunnel.engine.foreign.making import exempting, heeded
from windtunnel.engine.foreign.reverting import ForeignFile
from windtunnel.engine.foreign.selection import Choices, chosen_at_run_time, related
from windtunnel.engine.foreign.warm import warmed
from windtunnel.engine.ground import Ground, _languages
from windtunnel.languages.search import which

GO_TEST = Check(kind=Kind.TEST, tool="go test", argv=("go", "test", "-vet=off", "./..."))
GO_FILES = {
    "money/money.go": b"package money\n", "shop/shop.go": b'package shop\n\nimport (\n\t"fmt"\n\tm "example.com/x/money"\n)\n',
    "shop/shop_test.go": b'package shop\nimport "testing"\n', "other/other.go": b"package other\n",
    "main.go": b'package main\n\nimport "example.com/x/shop"\n'}


def test_a_mutant_of_go_is_judged_by_the_packages_that_depend_on_its_own():
    choice = Choices(GO_TEST, GO_FILES, module="example.com/x").of("money/money.go")

    assert choice.check.argv == ("go", "test", "-vet=off", ".", "./money", "./shop")
    assert choice.rests_on == frozenset(GO_FILES) - {"other/other.go"}
    assert choice.expected(["example.com/x/shop/TestA", "example.com/x/other/TestB", "example.com/x/TestC"]) == {
        "example.com/x/shop/TestA", "example.com/x/TestC"}


@pytest.mark.parametrize("argv", [("go", "test", "./shop"), ("go", "test", "-run", "TestA", "./...")])
def test_a_command_that_names_its_tests_is_left_as_it_is(argv):
    check = Check(kind=Kind.TEST, tool="go test", argv=argv)

    assert Choices(check, GO_FILES, module="example.com/x").of("money/money.go").check == check


@pytest.mark.parametrize(("count", "misses"), [(0, True), (2, False)])
def test_code_that_no_block_of_the_profile_ran_is_untested(count, misses):
    told = _of_go(f"mode: set\nexample.com/x/calc.go:3.28,8.2 2 1\nexample.com/x/calc.go:18.24,20.2 1 {count}\n".encode(), "example.com/x")

    assert told.misses(mutant("calc.go", GO, "n + 1", "n - 1"), GO.encode()) is misses


def test_code_outside_of_all_blocks_is_tried():
    assert not _of_go(b"example.com/x/calc.go:3.28,8.2 2 0\n", "example.com/x").misses(mutant("calc.go", GO, "package calc", "package x"), b"")


def script(*ranges, url="file:///workspace/a.js"):
    functions = [{"ranges": [{"startOffset": a, "endOffset": b, "count": c}]} for a, b, c in ranges]
    return b'{"result": [%b]}' % json.dumps({"url": url, "functions": functions}).encode()


SCRIPT = "f = () => 1;\ng = () => 2;\n"


@pytest.mark.parametrize(("told", "misses"), [
    ([script((0, len(SCRIPT), 1), (17, 24, 0))], True),
    ([script((0, len(SCRIPT), 1), (17, 24, 0)), script((0, len(SCRIPT), 1), (17, 24, 3))], False),
    ([script((0, 99, 1), (17, 24, 0))], False),
    ([script((0, 9, 1), url="file:///workspace/b.js")], True),
    ([b"not what V8 writes", b'{"result": [{"url": 3}]}'], False),
], ids=["not run", "run in another process", "another text", "never loaded", "unreadable"])
def test_code_that_v8_counts_no_run_of_is_untested(told, misses):
    assert _of_node(told).misses(mutant("a.js", SCRIPT, "2", "3"), SCRIPT.encode()) is misses


STATEMENTS = {"statementMap": {
    "0": {"start": {"line": 1, "column": 0}, "end": {"line": 1, "column": 12}}, "1": {"start": {"line": 1, "column": 10}, "end": {"line": 1, "column": 11}},
    "2": {"start": {"line": 2, "column": 0}, "end": {"line": 2, "column": 12}}, "3": {"start": {"line": 2, "column": 10}, "end": {"line": 2, "column": 11}}}}


@pytest.mark.parametrize(("counts", "misses"), [([1, 1, 1, 0], True), ([1, 0, 1, 2], False)])
def test_a_statement_that_jest_counts_no_run_of_is_untested(counts, misses):
    told = json.dumps({"/workspace/a.js": {**STATEMENTS, "s": {str(at): count for at, count in enumerate(counts)}}}).encode()

    assert _of_jest(told).misses(mutant("a.js", SCRIPT, "2", "3"), SCRIPT.encode()) is misses


def test_a_statement_that_ran_is_not_untested_for_what_is_in_it_and_did_not():
    told = json.dumps({"/workspace/a.js": {**STATEMENTS, "s": {"0": 1, "1": 1, "2": 1, "3": 0}}}).encode()

    assert not _of_jest(told).misses(mutant("a.js", SCRIPT, "g = () => 2;", ";"), SCRIPT.encode())


@pytest.mark.parametrize("told", [b"", b"[]", b'{"/workspace/a.js": 3}', b"[" * 100_000])
def test_what_is_no_report_of_jest_says_nothing(told):
    assert _of_jest(told) == Coverage()


@pytest.mark.parametrize(("tool", "argv", "wanted"), [
    ("jest", ("jest", "--ci"), ("jest", "--ci", "--findRelatedTests", "a.js")),
    ("vitest", ("npx", "vitest", "run", "--silent"), ("npx", "vitest", "related", "a.js", "--silent")),
    ("jest", ("jest", "src"), None), ("mocha", ("mocha",), None)])
def test_the_tests_that_are_related_to_a_file_are_asked_for_where_the_command_names_none(tool, argv, wanted):
    found = related(Check(kind=Kind.TEST, tool=tool, argv=argv), "a.js")

    assert (found.argv if found is not None else None) == wanted


@pytest.mark.parametrize(("source", "chosen"), [(b"require('./a'); import('./b')", False), (b"require(name)", True), (b"import(`./${x}`)", True)])
def test_code_that_chooses_what_it_loads_is_seen(source, chosen):
    assert chosen_at_run_time([source]) is chosen


def test_without_coverage_nothing_is_called_untested():
    assert not Coverage().misses(mutant("a.js", SCRIPT, "2", "3"), SCRIPT.encode())


@pytest.mark.parametrize(("path", "product"), [
    ("src/a.ts", True), ("lib/a.go", True), ("src/main/java/shop/A.java", True), ("src/lib.rs", True), ("src/a.jsx", True),
    ("a.py", False), ("a.test.js", False), ("a_test.go", False), ("src/test/java/shop/ATest.java", False), ("tests/a.rs", False),
    ("jest.config.js", False), ("types/a.d.ts", False), ("vendor/x/a.go", False), ("build.rs", False), ("dist/a.js", False),
    (".storybook/main.js", False), ("node_modules/a/index.js", False)])
def test_product_code_is_no_test_and_nothing_that_is_set_up_made_or_brought(path, product):
    assert is_product(path) is product


def test_tests_in_a_file_of_rust_are_no_part_of_its_change():
    added = RUST.replace("    #[test]\n    fn sums", "    #[test]\n    fn more() { assert_eq!(unused(1), 2); }\n\n    #[test]\n    fn sums")
    after = added.replace("n + 1", "n + 2")
    file = ForeignFile("src/lib.rs", RUST.encode(), after.encode())

    assert inline_tests(RUST.encode(), path="src/lib.rs") == frozenset(range(22, 36))
    assert (file.lines, file.put_back.decode()) == (frozenset({19}), added)


def test_of_a_new_file_of_rust_the_tests_in_it_stay_when_it_is_put_back():
    file = ForeignFile("src/new.rs", None, RUST.encode())

    assert file.put_back.decode() == RUST[RUST.index("#[cfg(test)]"):]


def test_a_change_of_comments_alone_runs_nothing():
    assert not ForeignFile("a.js", b"f(1); // one\n", b"/* two */ f(1);\n").runs


def test_parts_that_cannot_be_read_alone_are_not_put_back_alone():
    file = ForeignFile("a.js", b"f(1);\n", b"if (x) {\n  f(2);\n}\n")

    assert [(each.part, each.mutant.replacement) for each in file.reverts()] == [("hunk", "f(1);\n")]


def test_a_change_cannot_exempt_its_own_lines():
    source = b"f(1); // pragma: no mutate\ng(2); // pragma: no mutate\n"

    assert heeded(source, {2}) == b"f(1); // pragma: no mutate\ng(2); // -----------------\n"
    assert exempting(source, {2}) == {2: "g(2); // pragma: no mutate"}


@pytest.fixture
def copied(rig, tmp_path):
    """The copy of a project with what a build left, as (path, content or link or folder) while it is there."""
    project, cache = tmp_path / "project", tmp_path / "cache"
    project.mkdir()

    def copy(products):
        ground = Ground(project=str(project), folder=Folder(project), paths=(), env={})
        given = Rig(**{name: getattr(rig, name) for name in Rig.__dataclass_fields__} | {"cache_dir": str(cache)})
        return warmed(given, ground, products, folders={"target"})

    return project, cache, copy


def test_a_copy_has_the_project_and_what_was_built_and_is_gone_afterwards(copied):
    project, cache, copy = copied
    (project / "a.rs").write_text("a")
    (project / "link").symlink_to("/etc")
    with copy({"target/x": Artifact(data=b"x", mode=0o755), "written": Artifact(data=b"by a test"), "a.rs": None}) as ground:
        place = Path(ground.project)
        found = sorted(path.name for path in place.iterdir())
        built = (place / "target/x").stat()
        older = (place / "a.rs").stat().st_mtime_ns < built.st_mtime_ns

    assert (found, stat.S_IMODE(built.st_mode), older) == (["a.rs", "link", "target"], 0o755, True)
    assert (list((cache / "mutants").iterdir()), place.exists()) == ([], False)


def test_a_folder_that_says_it_is_a_cache_is_not_copied(copied):
    project, _, copy = copied
    (project / "target").mkdir()
    (project / "target/CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55")
    (project / "target/large").write_text("old")

    with copy({"target/x": Artifact(data=b"x")}) as ground:
        found = sorted(str(path.relative_to(ground.project)) for path in Path(ground.project).rglob("*"))

    assert found == ["target", "target/x"]


def test_a_link_in_the_project_does_not_lead_what_was_built_out_of_the_copy(copied, tmp_path):
    project, _, copy = copied
    outside = tmp_path / "outside"
    outside.mkdir()
    (project / "target").symlink_to(outside)

    with copy({"target/evil": Artifact(data=b"x"), "target/../../evil": Artifact(data=b"x")}) as ground:
        inside = [path.name for path in Path(ground.project, "target").iterdir()]

    assert (inside, list(outside.iterdir()), sorted(path.name for path in tmp_path.iterdir())) == (
        ["evil"], [], ["cache", "outside", "project"])


def test_without_anything_built_no_copy_is_made(copied):
    with copied[2]({"elsewhere/x": Artifact(data=b"x")}) as ground:
        assert ground is None


def test_what_a_run_that_was_killed_left_is_gone_after_the_next(copied):
    project, cache, copy = copied
    left = cache / "mutants/windtunnel-4000000-1-abcdefgh/project"
    left.mkdir(parents=True)
    (left / "a.rs").write_text("a")
    with copy({"target/x": Artifact(data=b"x")}):
        pass

    assert (list((cache / "mutants").iterdir()), list(project.iterdir())) == ([], [])


@pytest.mark.parametrize(("tool", "language"), [
    ("go test", "go"), ("cargo test", "rust"), ("node:test", "javascript"), ("maven", "java"), ("pytest", None)])
def test_a_sandbox_shows_the_language_of_a_test_command_whatever_its_name_is_made_of(tool, language):
    checks = Checks(checks=(Check(kind=Kind.TEST, tool=tool, argv=("x",)),))

    assert _languages(checks) == ({language} if language else set())


@pytest.mark.parametrize(("files", "test", "concerned"), [
    ({"a.py": ""}, None, False), ({"a.py": "", "go.mod": ""}, None, True), ({"go.mod": ""}, "pytest", False),
    ({"a.py": ""}, "node --test", True)])
def test_a_project_of_python_alone_is_no_business_of_other_languages(tmp_path, files, test, concerned):
    need("node:test")
    written(tmp_path, files)

    assert concerns(Folder(tmp_path, search=which), test) is concerned


def test_a_mutant_of_which_any_part_runs_is_not_untested():
    ranges = (0, len(SCRIPT), 1), (4, 11, 0), (17, 24, 0)

    assert not _of_node([script(*ranges)]).misses(mutant("a.js", SCRIPT, "() => 1;\ng", "g"), SCRIPT.encode())
