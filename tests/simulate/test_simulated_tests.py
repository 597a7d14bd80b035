"""Tests of a project as sections: run by its own test command under conditions, in real sandboxes."""

from __future__ import annotations

import json
import shutil

import pytest

from windtunnel import Tunnel
from windtunnel.cli.main import main
from windtunnel.core.section import SectionKind
from windtunnel.core.simulation import Blame, State

NODE = """
const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');

test('adds', () => assert.strictEqual(1 + 1, 2));
test('saves', () => fs.writeFileSync('/tmp/saved.bin', Buffer.alloc(200000)));
test('fills memory', () => assert.strictEqual(Buffer.alloc(200 * 1024 * 1024, 1)[5], 1));
test('copes', () => {
  try {
    fs.writeFileSync('/tmp/cache.bin', Buffer.alloc(200000));
  } catch {
    fs.rmSync('/tmp/cache.bin', { force: true });
  }
});
test('never', () => assert.ok(false, 'as it was'));
"""
PRESETS = [{"SCENARIO_NAME": "full", "FAILURE_MODES": "disk_full"}, {"SCENARIO_NAME": "low", "MEMORY_LIMIT": "192Mi"},
           {"SCENARIO_NAME": "jumps", "FAILURE_MODES": "clock_jump"},
           {"SCENARIO_NAME": "tiny", "MEMORY_LIMIT": "16Mi"}]
FILE = "test/shop.test.js"


def need(program):
    if shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")


def written(folder, files):
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    return folder


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    need("node")
    package = json.dumps({"name": "shop", "version": "1.0.0", "scripts": {"test": "node --test"}})
    return written(tmp_path_factory.mktemp("shop"), {"package.json": package, FILE: NODE})


@pytest.fixture(scope="module")
def made(shop):
    with Tunnel(pool_size=0) as tunnel:
        return tunnel.simulate(shop, presets=PRESETS)


def states(made, name):
    return {one.scenario: one.state for one in made.outcomes if one.section == f"{FILE}:{name}"}


def test_a_test_is_blamed_on_the_condition_that_breaks_it_and_no_sound_one_is(made):
    assert {(one.section, one.conditions) for one in made.blames} == {
        (f"{FILE}:saves", ("FAILURE_MODES:disk_full",)), (f"{FILE}:fills memory", ("MEMORY_LIMIT",))}


def test_how_it_fails_is_told_in_the_runners_words(made):
    assert next(one for one in made.blames if one.section == f"{FILE}:saves") == Blame(
        section=f"{FILE}:saves", conditions=("FAILURE_MODES:disk_full",), call="saves", scenarios=("full",),
        reason="fails exception: Error: ENOSPC: no space left on device, write")


def test_a_test_that_ends_its_process_is_not_held_against_the_others_of_its_file(made):
    assert (states(made, "fills memory")["low"], states(made, "adds")["low"]) == (State.BROKEN, State.OK)


def test_where_the_runner_itself_does_not_survive_nothing_is_said_of_its_tests(made):
    told = [(one.state, one.reason) for one in made.outcomes if one.scenario == "tiny"]

    assert set(told) == {(State.NOT_RUN, "the test runner itself does not survive it")}


def test_a_fault_that_needs_python_inside_is_told_as_not_met(made):
    reason = "made inside a Python process that makes a call; a test command does not meet it"

    assert {(one.state, one.reason) for one in made.outcomes if one.scenario == "jumps"} == {
        (State.NOT_RUN, f"FAILURE_MODES:clock_jump: {reason}")}
    assert [(one.name, one.real, one.reason) for one in made.conditions["jumps"]] == [
        ("FAILURE_MODES:clock_jump", False, f"tests: {reason}")]


def test_the_conditions_around_a_test_command_are_measured(made):
    full, low = made.conditions["full"][0], made.conditions["low"][0]

    assert (full.real, full.approximate, full.measured.startswith("0 bytes fitted in /tmp")) == (True, False, True)
    assert (low.name, low.real) == ("MEMORY_LIMIT", True)


def test_a_test_that_fails_by_itself_is_skipped_with_its_words(made):
    assert made.skipped == {
        f"{FILE}:never": "it does not pass without conditions: AssertionError [ERR_ASSERTION]: as it was"}


def test_the_sections_are_of_the_kind_test_and_nothing_in_the_project_is_changed(shop, made):
    assert {(one.path, one.kind) for one in made.sections} == {(FILE, SectionKind.TEST)}
    assert sorted(str(path.relative_to(shop)) for path in shop.rglob("*")) == ["package.json", "test", FILE]


PYTHON = {
    "shop.py": "def double(n: int) -> int:\n    return 2 * n\n",
    "tests/test_shop.py": """
import os

import shop

def test_doubles():
    assert shop.double(2) == 4

class TestAddress:
    def test_home(self):
        assert os.environ["HOME"]
"""}


def test_tests_of_python_are_sections_where_they_are_asked_for(tmp_path, capsys):
    written(tmp_path, PYTHON | {"pyproject.toml": "[tool.pytest.ini_options]\npythonpath = '.'\n"})
    (tmp_path / "presets.json").write_text('[{"FAILURE_MODES": "missing_environment"}]')

    code = main(["simulate", str(tmp_path), "--presets", str(tmp_path / "presets.json"), "--tests", "--no-measure"])

    shown = capsys.readouterr().out
    assert (code, shown.splitlines()[0]) == (1, "1 of 3 sections breaks under 1 scenario")
    assert "tests/test_shop.py:TestAddress::test_home  missing_environment  fails exception: KeyError: 'HOME'" in shown


def test_tests_of_python_are_left_alone_where_nobody_asks(tmp_path):
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.simulate(written(tmp_path, PYTHON), presets=[{"CPU_LIMIT": 0.5}], measure=False)

    assert [one.id for one in made.sections] == ["shop.py:double"]


RUST = """
#[cfg(test)]
mod tests {
    #[test]
    fn adds() { assert_eq!(1 + 1, 2); }
    #[test]
    fn saves() { std::fs::write("/tmp/saved.bin", vec![0u8; 200000]).unwrap(); }
}
"""


def test_what_a_compiler_made_before_leaves_a_full_disk_to_the_tests(tmp_path):
    need("cargo")
    package = 'name = "shop"\nversion = "0.1.0"\n'
    written(tmp_path, {"src/lib.rs": RUST, "Cargo.toml": f'[package]\n{package}edition = "2021"\n',
                       "Cargo.lock": f"version = 3\n\n[[package]]\n{package}"})
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.simulate(tmp_path, presets=PRESETS[:1], measure=False)

    assert {one.section: one.state for one in made.outcomes} == {
        "src/lib.rs:tests::adds": State.OK, "src/lib.rs:tests::saves": State.BROKEN}
    assert [one.conditions for one in made.blames] == [("FAILURE_MODES:disk_full",)]


BUILT = {
    "build.js": "require('fs').mkdirSync('dist'); require('fs').writeFileSync('dist/two.js', 'module.exports = 2');",
    "test/two.test.js": "require('node:test')('two', () => require('node:assert').strictEqual(require('../dist/two.js'), 2));",
    "package.json": json.dumps({"name": "two", "scripts": {"build": "node build.js", "test": "node --test"}})}


@pytest.mark.parametrize(("build", "called", "skipped"), [
    (BUILT["build.js"], ["test/two.test.js:two"], {}),
    ("process.exit(3)", [], {"node --test": "npm run build fails with exit code 3"})])
def test_what_a_build_makes_is_there_for_the_tests_and_one_that_fails_is_told(tmp_path, build, called, skipped):
    need("npm")
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.simulate(written(tmp_path, BUILT | {"build.js": build}), presets=[{"CPU_LIMIT": 0.5}], measure=False)

    assert ([one.id for one in made.sections], made.skipped) == (called, skipped)
    assert not (tmp_path / "dist").exists()


def test_a_test_command_whose_tests_cannot_be_told_apart_is_named(tmp_path):
    written(tmp_path, {"Makefile": "test:\n\ttrue\n", "shop.py": PYTHON["shop.py"]})
    with Tunnel(pool_size=0) as tunnel:
        made = tunnel.simulate(tmp_path, presets=[{"CPU_LIMIT": 0.5}], measure=False)

    assert (made.skipped, [one.id for one in made.sections]) == (
        {"make test": "its tests cannot be told one from another"}, ["shop.py:double"])
