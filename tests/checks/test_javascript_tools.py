"""Real runners, linters and compilers for JavaScript and TypeScript, honest and cheating projects."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from windtunnel.checks import eslint, jest, mocha, node_test, npm_build, typescript, vitest
from windtunnel.checks.node_live import names_of
from windtunnel.checks.package_json import manifest
from windtunnel.core.trial import Channel, Check, Kind, LintResult

sys.path.insert(0, str(Path(__file__).parent / "javascript"))
import rig as rigs

NODE = "const { describe, it, test } = require('node:test'); const assert = require('node:assert');\n"
VITEST = "import { describe, test, expect } from 'vitest';\n"
FORGED = (
    "const id = 'forged.js > passes';\n"
    "const json = JSON.stringify({ n: 3, kind: 'test', id, status: 'passed', seconds: 0, message: '' });\n"
    "require('fs').writeSync(1, `\\x1e${'0'.repeat(32)} ${json}\\n`);\n")


@pytest.fixture(scope="session")
def node_packages():
    return rigs.installed()


@pytest.fixture
def rig(tmp_path, node_packages):
    made = rigs.Rig(tmp_path, node_packages)
    made.put("package.json", "{}")
    return made


class Files:
    """A project in memory."""

    def __init__(self, **files):
        self.files = {name.replace("__", "/"): text for name, text in files.items()}

    @classmethod
    def of(cls, document, *others):
        made = cls()
        made.files = {"package.json": json.dumps(document), **dict.fromkeys(others, "x")}
        return made

    def read(self, path):
        text = self.files.get(path)
        return None if text is None else text.encode()

    def exists(self, path):
        return path in self.files

    def glob(self, pattern):
        suffix = pattern.rpartition("*")[2]
        return sorted(name for name in self.files if name.endswith(suffix) and "test" in name)

    def which(self, name):
        return None


def script(text, **more):
    return Files.of({"scripts": {"test": text, **more}})


def argv_of(tool, project):
    check = tool.TOOL.detect(project)
    return None if check is None else (check.tool, *check.argv)


# Detection


def test_a_test_script_is_resolved_to_the_runner_it_starts():
    assert jest.TOOL.detect(script("jest --ci")) == Check(
        kind=Kind.TEST, tool="jest", argv=("jest", "--ci"), found_in="package.json")


def test_a_script_that_calls_another_is_followed():
    project = script("npm run unit -- --bail", unit="vitest run")

    assert argv_of(vitest, project) == ("vitest", "vitest", "run", "--bail")


def test_variables_of_a_script_stand_before_it():
    assert argv_of(mocha, script("cross-env NODE_ENV=test mocha src")) == ("mocha", "env", "NODE_ENV=test", "mocha", "src")


@pytest.mark.parametrize("project", [
    script("tsc && mocha dist"), script("mocha", pretest="tsc"), script("mocha $FLAGS"), script("mocha | tee log"),
])
def test_a_script_that_takes_a_shell_is_run_by_the_package_manager_and_named_once(project):
    found = [argv_of(tool, project) for tool in (jest, vitest, mocha, node_test)]

    assert found == [None, None, ("command", "npm", "test"), None]


def test_a_script_of_an_unknown_runner_is_a_plain_command_of_the_projects_package_manager():
    project = Files.of({"scripts": {"test": "ava"}, "packageManager": "pnpm@9.1.0"})

    assert [argv_of(tool, project) for tool in (jest, vitest, mocha, node_test)] == [
        None, None, None, ("command", "pnpm", "test")]


def test_the_placeholder_of_npm_is_no_test():
    project = script('echo "Error: no test specified" && exit 1')

    assert [argv_of(tool, project) for tool in (jest, vitest, mocha, node_test)] == [None] * 4


def test_without_a_script_a_dependency_names_the_runner():
    assert argv_of(vitest, Files.of({"devDependencies": {"vitest": "3"}})) == ("vitest", "vitest", "run")


def test_without_a_script_test_files_for_node_are_found():
    project = Files.of({})
    project.files["test/a.test.js"] = NODE

    assert argv_of(node_test, project) == ("node:test", "node", "--test")


def test_a_broken_package_json_is_none():
    assert manifest(Files(**{"package.json": "{nope"})) is None


@pytest.mark.parametrize(("tool", "argv"), [
    (jest, ("jest",)), (jest, ("npx", "jest", "--ci")), (jest, ("node_modules/.bin/jest",)),
    (jest, ("node", "--experimental-vm-modules", "node_modules/jest/bin/jest.js")), (jest, ("yarn", "jest")),
    (vitest, ("pnpm", "exec", "vitest", "run")), (mocha, ("nyc", "--silent", "mocha")), (mocha, ("env", "A=1", "_mocha")),
    (node_test, ("node", "--import", "tsx", "--test", "test/")), (eslint, ("npx", "eslint", ".")), (typescript, ("tsc",)),
    (npm_build, ("npm", "run", "build")),
])
def test_a_command_is_recognised_by_its_own_tool_alone(tool, argv):
    every = (jest, vitest, mocha, node_test, eslint, typescript, npm_build)

    assert [other for other in every if other.TOOL.recognise(argv)] == [tool]


@pytest.mark.parametrize("argv", [(), ("node", "jest.js"), ("npm", "test"), ("jester",), ("node", "x.js", "--test"), ("env",)])
def test_other_commands_are_left_alone(argv):
    every = (jest, vitest, mocha, node_test, eslint, typescript, npm_build)

    assert [tool for tool in every if tool.TOOL.recognise(argv)] == []


def test_lint_types_and_build_are_found():
    project = Files.of(
        {"scripts": {"lint": "eslint src --fix", "build": "vite build"}, "devDependencies": {"typescript": "5"}}, "tsconfig.json")

    assert [argv_of(tool, project) for tool in (eslint, typescript, npm_build)] == [
        ("eslint", "eslint", "src", "--fix"), ("typescript", "tsc", "--noEmit"), ("npm", "npm", "run", "build")]


def test_names_with_special_characters_are_matched_as_they_are():
    assert names_of(["a.js > f(x) > is 1.5 #2"]) == r"^ ?(?:f\(x\)(?: > | )is 1\.5)$"


# Each runner, whole


JEST = """
describe('math', () => {
  test('adds', () => { expect(1 + 1).toBe(2); });
  test('fails', () => { expect(1 + 1).toBe(3); });
  test.skip('waits', () => {});
  test.todo('later');
  test('same', () => {}); test('same', () => {});
});
"""
STATUSES = {"math > adds": "passed", "math > fails": "failed", "math > waits": "skipped", "math > later": "skipped",
            "math > same": "passed", "math > same #2": "passed"}
SUITES = {
    "jest": (jest, ("jest",), "a.test.js", JEST),
    "vitest": (vitest, ("vitest",), "a.test.js", VITEST + JEST),
    "mocha": (mocha, ("mocha",), "test/a.js", "const assert = require('assert');\n" + JEST.replace(
        "test.todo('later')", "it('later')").replace("test", "it").replace("expect(1 + 1).toBe(", "assert.equal(1 + 1, ")),
    "node:test": (node_test, ("node", "--test"), "test/a.js", NODE + JEST.replace(
        "expect(1 + 1).toBe(", "assert.equal(1 + 1, ")),
}


@pytest.fixture(params=SUITES)
def suite(request, rig):
    tool, argv, name, text = SUITES[request.param]
    rig.put(name, text)
    return rig, tool.TOOL, argv, name


def test_every_test_has_its_status_and_the_records_are_sealed(suite):
    rig, tool, argv, name = suite

    reading = rig.run(tool, *argv)

    assert rigs.shown(reading) == {f"{name} > {title}": status for title, status in STATUSES.items()}
    assert (reading.channel, reading.notes, rig.output.forged) == (Channel.LIVE, (), 0)


def test_a_failure_says_where_and_of_what_kind_it_is(suite):
    rig, tool, argv, name = suite

    failed = next(test for test in rig.run(tool, *argv).tests if test.status.value == "failed")

    assert (failed.path, failed.category, failed.tool) == (name, "assertion", tool.name)
    assert failed.line in (4, 5)
    assert "3" in failed.message


def test_only_the_chosen_tests_are_reported(suite):
    rig, tool, argv, name = suite

    reading = rig.run(tool, *argv, select=(f"{name} > math > same #2", f"{name} > math > fails"))

    assert rigs.shown(reading) == {f"{name} > math > same #2": "passed", f"{name} > math > fails": "failed"}


def test_neither_the_key_nor_the_preload_reaches_a_test(suite):
    rig, tool, argv, name = suite
    import_line = VITEST if tool.name == "vitest" else NODE if tool.name == "node:test" else ""
    word = "it" if tool.name == "mocha" else "test"
    dump = "process.stderr.write('\\n@' + JSON.stringify([process.env, process.argv, process.execArgv]) + '@\\n')"
    rig.put(name, f"{import_line}{word}('tells', () => {{ {dump} }});")

    rig.run(tool, *argv)
    said = (rig.output.stderr + rig.output.stdout).decode()

    assert '"PATH"' in said
    assert rigs.KEY not in said
    assert "node_preload" not in said
    assert "node_child" not in said


def test_a_pattern_is_the_runners_own(rig):
    rig.put("a.test.js", JEST)

    reading = rig.run(jest.TOOL, "jest", pattern="adds")

    assert rigs.shown(reading)["a.test.js > math > adds"] == "passed"
    assert "failed" not in rigs.shown(reading).values()


def test_the_first_failure_ends_a_run_that_should_fail_fast(rig):
    rig.put("test/a.js", "it('bad', () => { throw new Error('x') }); it('next', () => {});")

    reading = rig.run(mocha.TOOL, "mocha", fail_fast=True)

    assert rigs.shown(reading) == {"test/a.js > bad": "failed"}


def test_a_failed_hook_is_an_error_of_the_tests_it_kept_from_running(rig):
    rig.put("test/a.js", "describe('s', () => { before(() => { throw new Error('no') }); it('a', () => {}); it('b', () => {}) })")

    assert rigs.shown(rig.run(mocha.TOOL, "mocha")) == {"test/a.js > s > a": "error", "test/a.js > s > b": "error"}


def test_mocha_that_starts_itself_again_for_an_option_of_node_is_still_heard(rig):
    rig.put("test/a.js", "it('has it', () => { if (!global.gc) throw new Error('no gc') });")

    reading = rig.run(mocha.TOOL, "mocha", "--expose-gc")

    assert (rigs.shown(reading), reading.channel) == ({"test/a.js > has it": "passed"}, Channel.LIVE)


def test_a_test_that_is_expected_to_fail_is_no_failure(rig):
    rig.put("a.test.js", VITEST + "test.fails('known', () => { expect(1).toBe(2) });")

    assert rigs.shown(rig.run(vitest.TOOL, "vitest", "run")) == {"a.test.js > known": "xfailed"}


def test_a_retried_test_counts_as_it_ended(rig):
    rig.put("a.test.js", "jest.retryTimes(2); let n = 0; test('flaky', () => { if (n++ < 1) throw new Error('x') });")

    assert rigs.shown(rig.run(jest.TOOL, "jest")) == {"a.test.js > flaky": "passed"}


def test_a_file_that_cannot_be_loaded_is_an_error_also_when_its_tests_were_chosen(rig):
    rig.put("b.test.js", "require('./gone'); test('x', () => {});")

    (broken,) = rig.run(jest.TOOL, "jest", select=("b.test.js > x",)).tests

    assert (broken.id, broken.status.value, broken.category) == ("b.test.js", "error", "import")


@pytest.mark.parametrize(("tool", "argv", "head"), [(jest.TOOL, ("jest", "-u"), ""), (vitest.TOOL, ("vitest", "-u"), VITEST)])
def test_a_missing_snapshot_fails_and_is_not_made_up(rig, tool, argv, head):
    rig.put("a.test.js", head + "test('snap', () => { expect(1).toMatchSnapshot() });")

    reading = rig.run(tool, *argv)

    assert rigs.shown(reading) == {"a.test.js > snap": "failed"}
    assert not (rig.root / "__snapshots__").exists()


def test_obsolete_snapshots_are_noted(rig):
    rig.put("a.test.js", "test('plain', () => {});")
    rig.put("__snapshots__/a.test.js.snap", "// Jest Snapshot v1, https://goo.gl/fbAQLP\n\nexports[`gone 1`] = `1`;\n")

    assert rig.run(jest.TOOL, "jest").notes == ("1 snapshots are obsolete",)


def test_patterns_that_a_script_left_to_the_shell_are_filled_in(rig):
    rig.put("test/a.test.js", NODE + "it('a', () => {});")

    reading = rig.run(node_test.TOOL, "node", "--test", "test/*.test.js")

    assert rigs.shown(reading) == {"test/a.test.js > a": "passed"}


# Cheats


@pytest.mark.parametrize(("tool", "argv", "name", "word"), [
    (jest.TOOL, ("jest",), "a.test.js", "test"), (jest.TOOL, ("jest", "--runInBand"), "a.test.js", "test"),
    (mocha.TOOL, ("mocha",), "test/a.js", "it"),
])
def test_product_code_that_exits_with_zero_is_a_crash(rig, tool, argv, name, word):
    rig.put("product.js", "module.exports = () => process.exit(0);")
    product = str(rig.root / "product.js")
    rig.put(name, f"{word}('first', () => {{}}); {word}('calls', () => {{ require('{product}')() }}); {word}('bad', () => {{ throw 1 }});")

    reading = rig.run(tool, *argv)

    assert {test.id: test.category for test in reading.tests if test.status.bad}[f"{name} > calls"] == "crash"
    assert reading.notes != ()


PATCHES = {
    "one function": "require('node:assert').equal = () => {};",
    "a definition": "Object.defineProperty(require('node:assert/strict'), 'ok', { value: Boolean });",
    "the runner": "require('node:test').it = () => {};",
    "the language": "Object.is = () => true;",
}


@pytest.mark.parametrize("patch", PATCHES.values(), ids=PATCHES)
def test_node_tells_of_a_child_that_replaced_what_judges_it(rig, patch):
    rig.put("product.js", patch)
    rig.put("test/a.js", f"{NODE}require('{rig.root / 'product.js'}'); test('is judged', () => {{ assert.equal(1, 1) }});")

    reading = rig.run(node_test.TOOL, "node", "--test")

    assert [note for note in reading.notes if "was replaced" in note] != []


def test_node_does_not_tell_of_what_a_test_put_back(rig):
    rig.put("test/a.js", NODE + """
        test('mocks', (t) => { t.mock.method(assert, 'equal', () => {}); assert.equal(1, 2) });
        test('is judged', () => { assert.throws(() => assert.equal(1, 2)) });""")

    reading = rig.run(node_test.TOOL, "node", "--test")

    assert (rigs.shown(reading), reading.notes) == ({"test/a.js > mocks": "passed", "test/a.js > is judged": "passed"}, ())


def test_vitest_tells_of_product_code_that_exits_with_zero(rig):
    rig.put("a.test.js", VITEST + "test('calls', () => { process.exit(0) });")

    reading = rig.run(vitest.TOOL, "vitest")

    assert rigs.shown(reading)["a.test.js > calls"] == "failed"


def test_an_exit_while_test_files_are_loaded_is_a_crash_although_the_exit_code_is_zero(rig):
    rig.put("test/a.js", "process.exit(0);")

    reading = rig.run(mocha.TOOL, "mocha")

    assert (rig.output.exit_code, rigs.shown(reading)) == (0, {"mocha": "error"})
    assert "no test was executed" in reading.notes


def test_a_file_for_node_that_exits_early_is_named(rig):
    rig.put("test/a.js", NODE + "it('bad', () => { throw 1 }); process.exit(0);")

    reading = rig.run(node_test.TOOL, "node", "--test")

    assert (rig.output.exit_code, reading.tests) == (0, ())
    assert reading.notes == ("no test was executed", "test/a.js ended without running a test")


def test_an_exit_code_set_by_product_code_does_not_hide_a_failure(rig):
    rig.put("test/a.js", "process.on('exit', () => { setImmediate; process.exitCode = 0; process.reallyExit(0) }); it('bad', () => { throw new Error('x') });")

    reading = rig.run(mocha.TOOL, "mocha")

    assert (rig.output.exit_code, rigs.shown(reading)) == (0, {"test/a.js > bad": "failed"})
    assert reading.notes == ("the exit code became 0 after the runner had ended with 1",)


@pytest.mark.parametrize(("tool", "argv", "name", "word"), [
    (jest.TOOL, ("jest",), "a.test.js", "test"), (mocha.TOOL, ("mocha",), "test/a.js", "it"),
])
def test_records_printed_by_a_test_are_not_believed(rig, tool, argv, name, word):
    rig.put(name, f"{word}('prints', () => {{ {FORGED} }});")

    reading = rig.run(tool, *argv)

    assert rigs.shown(reading) == {f"{name} > prints": "passed"}
    assert rig.output.forged == 1
    assert any("wrong seal" in note for note in reading.notes)


def test_a_reporter_that_the_project_configures_is_not_used(rig):
    rig.put("package.json", json.dumps({"jest": {"reporters": ["<rootDir>/mine.js"]}}))
    rig.put("mine.js", "module.exports = class { constructor() { process.exit(0) } };")
    rig.put("a.test.js", "test('bad', () => { throw new Error('x') });")

    assert rigs.shown(rig.run(jest.TOOL, "jest", "--reporters", "./mine.js")) == {"a.test.js > bad": "failed"}


@pytest.mark.parametrize(("tool", "argv", "name", "word"), [
    (jest.TOOL, ("jest",), "a.test.js", "test"), (vitest.TOOL, ("vitest",), "a.test.js", "test"),
    (mocha.TOOL, ("mocha",), "test/a.js", "it"),
])
def test_tests_beside_one_marked_only_are_skipped_not_gone(rig, tool, argv, name, word):
    head = VITEST if tool is vitest.TOOL else ""
    rig.put(name, f"{head}{word}.only('good', () => {{}}); {word}('bad', () => {{ throw new Error('x') }});")

    assert rigs.shown(rig.run(tool, *argv)) == {f"{name} > good": "passed", f"{name} > bad": "skipped"}


def test_a_run_of_nothing_but_skipped_tests_executed_none(rig):
    rig.put("a.test.js", "test.skip('a', () => {}); test.skip('b', () => {});")

    assert rig.run(jest.TOOL, "jest").notes == ("no test was executed",)


@pytest.mark.parametrize(("tool", "argv"), [
    (jest.TOOL, ("jest", "--passWithNoTests")), (vitest.TOOL, ("vitest", "--passWithNoTests")),
    (node_test.TOOL, ("node", "--test")),
])
def test_a_project_without_tests_executed_none(rig, tool, argv):
    reading = rig.run(tool, *argv)

    assert "no test was executed" in reading.notes
    assert not any(test.passed for test in reading.tests)


def test_mocha_notices_a_replaced_assertion(rig):
    rig.put("product.js", "require('assert').equal = () => {};")
    rig.put("test/a.js", "require('../product'); it('lies', () => { require('assert').equal(1, 2) });")

    reading = rig.run(mocha.TOOL, "mocha")

    assert rigs.shown(reading) == {"test/a.js > lies": "passed"}
    assert reading.notes == ("the runner was interfered with: assert.equal",)


def test_mocha_notices_a_replaced_part_of_itself(rig):
    rig.put("test/a.js", "require('mocha').Runner.prototype.fail = function () {}; it('bad', () => { throw new Error('x') });")

    reading = rig.run(mocha.TOOL, "mocha")

    assert "the runner was interfered with: Runner.prototype.fail" in reading.notes


def test_stubs_that_are_put_back_are_no_interference(rig):
    rig.put("test/a.js", (
        "const exit = process.exit, now = globalThis.Date; before(() => { process.exit = () => {}; globalThis.Date = class {} });"
        "after(() => { process.exit = exit; globalThis.Date = now }); it('a', () => {}); it('b', () => {});"))

    assert rig.run(mocha.TOOL, "mocha").notes == ()


def test_a_planted_method_does_not_change_what_is_sealed(rig):
    plant = "Object.prototype.toJSON = function () { return { ...this, status: 'passed' } };"
    rig.put("test/a.js", f"it('bad', () => {{ {plant} throw new Error('x') }}); after(() => {{ delete Object.prototype.toJSON }});")

    assert rigs.shown(rig.run(mocha.TOOL, "mocha")) == {"test/a.js > bad": "failed"}


def test_a_second_reporter_is_noticed(rig):
    rig.put("test/a.js", (
        "const { EventEmitter } = require('events'); const fake = new EventEmitter(); fake.suite = { tests: [], suites: [] };"
        f"new (require('{rig.own}/node/mocha_reporter.cjs'))(fake, {{}}); it('a', () => {{}});"))

    assert "the runner was interfered with: the reporter was made a second time" in rig.run(mocha.TOOL, "mocha").notes


# Linters and compilers


FLAT = "module.exports = [{ files: ['src/*.js'], rules: { 'no-undef': 'error', eqeqeq: 'warn' } }];"
FOUND = (
    LintResult(tool="eslint", rule="no-undef", message="'x' is not defined.", path="src/a.js", line=1, column=5,
               severity="error", category="bug"),
    LintResult(tool="eslint", rule="eqeqeq", message="Expected '===' and instead saw '=='.", path="src/a.js", line=1, column=7),
)


def test_eslint_9_is_read_from_its_report(rig):
    rig.put("eslint.config.js", FLAT)
    rig.put("src/a.js", "if (x == 1) { }\n")

    reading = rig.run(eslint.TOOL, "eslint", "--fix", "src")

    assert (reading.channel, reading.findings, reading.notes) == (Channel.FILE, FOUND, ())


def test_eslint_8_is_read_the_same_way(rig):
    rig.put(".eslintrc.json", json.dumps({"root": True, "rules": {"no-undef": "error", "eqeqeq": "warn"}}))
    rig.put("src/a.js", "if (x == 1) { }\n")

    reading = rig.run(eslint.TOOL, "node", "node_modules/eslint8/bin/eslint.js", "src")

    assert reading.findings == FOUND


def test_an_eslint_that_breaks_has_not_judged(rig):
    rig.put("eslint.config.js", "throw new Error('broken configuration');")

    reading = rig.run(eslint.TOOL, "eslint", ".")

    assert (reading.channel, reading.findings) == (Channel.EXIT_CODE, ())
    assert reading.notes[0].startswith("could not be read (exit code 2)")


def test_the_compiler_tells_of_types_and_writes_nothing(rig):
    rig.put("tsconfig.json", '{"compilerOptions": {"strict": true, "types": []}, "include": ["*.ts"]}')
    rig.put("a.ts", "export const x: number = 'one';\n")

    reading = rig.run(typescript.TOOL, "tsc")

    assert reading.findings == (LintResult(
        tool="typescript", rule="TS2322", message="Type 'string' is not assignable to type 'number'.", path="a.ts", line=1,
        column=14, severity="error", category="type"),)
    assert not (rig.root / "a.js").exists()


def test_a_build_is_known_by_its_exit_code(rig):
    rig.put("package.json", '{"scripts": {"build": "node -e \\"process.exit(3)\\""}}')

    reading = rig.run(npm_build.TOOL, "npm", "run", "build")

    assert (rig.output.exit_code, reading.channel) == (3, Channel.EXIT_CODE)
    assert reading.notes[0].startswith("the build failed (exit code 3)")
