"""Test scripts of a package.json: what still runs and fails as before, however it gets to the runner."""

from __future__ import annotations

import json

import pytest

from windtunnel.core.change import ChangeSet, FileChange
from windtunnel.tamper import pristine, scan

NODE = {"test": "node --test"}
CALLED = {"test": "npm run all", "all": "npm run lint && npm run unit", "lint": "eslint .", "unit": "node --test"}
WRAPPED = {"test": "node tools/run.mjs"}
TESTS = dict.fromkeys(("test/a.test.js", "test/deep/b.test.js", "test/support/kit.js"), b"")
WORSE = [
    (NODE, {"test": "node --test | tee log.txt"}),
    (NODE, {"test": "node --test; npm run done", "done": "node --version"}),
    (NODE, {"test": "node --test || node --version"}),
    (NODE, {"test": "! node --test"}),
    (NODE, {"test": "node --test &"}),
    (NODE, {"test": "npm run verify", "verify": "npm run unit", "unit": "node --test || true"}),
    (NODE, {"test": "run-s unit", "unit": "node --test test/a.test.js"}),
    (NODE, {"test": "node --run unit", "unit": "node --test --test-name-pattern=easy"}),
    (NODE, {"test": "node --test test/*.test.js"}),
    (NODE, {"test": "node --test test/deep"}),
    (NODE, {"test": "node --test --test-shard=1/2"}),
    (NODE, {"test": "node --test --test-reporter=./tools/reporter.mjs"}),
    (NODE, {"test": "node --import ./tools/first.mjs --test"}),
    (NODE, {"test": "node -e 'process.exit(0)'"}),
    (NODE, {"test": "NODE_OPTIONS=--require=./tools/first.cjs node --test"}),
    (NODE, NODE | {"pretest": "rm test/deep/b.test.js"}),
    (NODE, NODE | {"pretest": "for file in test/*.js; do mv $file $file.old; done"}),
    (NODE, NODE | {"pretest": "find test -name '*.test.js' | xargs sed -i s/false/true/"}),
    (NODE, NODE | {"posttest": "node tools/after.mjs"}),
    (CALLED, CALLED | {"unit": "node --test || true"}),
    (CALLED, CALLED | {"unit": "true"}),
    (CALLED, CALLED | {"all": "npm run lint"}),
    (CALLED, CALLED | {"preunit": "node tools/first.mjs"}),
    ({"test": "jest"}, {"test": "jest --shard=1/3"}),
    ({"test": "jest"}, {"test": "jest --changedSince=main --onlyChanged"}),
    ({"test": "mocha"}, {"test": "mocha -g easy"}),
]
AS_GOOD = [
    (NODE, {"test": 'node --test "test/**"'}),
    (NODE, {"test": "node --test test/"}),
    (NODE, {"test": "node --test 'test/**/*.test.js'"}),
    (NODE, {"test": "node --test --experimental-test-coverage --test-reporter=spec --test-concurrency=2"}),
    (NODE, {"test": "c8 --reporter lcov node --test"}),
    (NODE, {"test": "node --check src/index.js && node --test"}),
    (NODE, {"test": "npm run lint && npm run unit", "lint": "eslint .", "unit": "node --test"}),
    (NODE, {"test": "node --import tsx --test"}),
    (NODE, {"test": "node --test || exit 1"}),
    (NODE, NODE | {"pretest": "rm -rf coverage && eslint src test"}),
    (NODE, NODE | {"test:one": "node --test test/a.test.js", "build": "tsc"}),
    (CALLED, CALLED | {"lint": "eslint . --max-warnings 0"}),
    (CALLED, CALLED | {"unit": "node --test --test-reporter=tap"}),
    (CALLED, CALLED | {"format": "prettier --write ."}),
    ({"test": "jest"}, {"test": "jest -i --ci"}),
    ({"test": "jest"}, {"test": "jest --coverage --config jest.config.js"}),
]
STARTER = "import { run } from 'node:test';\nimport { spawnSync } from 'node:child_process';\nconst done = spawnSync('node', ['--test']);\nprocess.exitCode = done.status;\n"


def package(scripts: dict[str, str]) -> str:
    return json.dumps({"name": "a", "scripts": scripts}, indent=2)


def blocked(old: dict[str, str], new: dict[str, str], tests: dict[str, bytes] | None) -> bool:
    change = ChangeSet(changes=(FileChange("package.json", "modify", package(new)),))
    found = scan(change, before={"package.json": package(old).encode()}.get, tests=tests)
    return any(each.severity == "block" for each in found)


@pytest.mark.parametrize(("old", "new"), WORSE, ids=lambda scripts: " ".join(scripts.values())[:60])
def test_a_script_that_runs_less_or_forgives_is_blocked(old, new):
    assert blocked(old, new, TESTS)


@pytest.mark.parametrize(("old", "new"), AS_GOOD, ids=lambda scripts: " ".join(scripts.values())[:60])
def test_a_script_that_runs_the_same_tests_is_let_through(old, new):
    assert not blocked(old, new, TESTS)


@pytest.mark.parametrize("command", ['node --test "test/**"', "node --test test", "node --test 'test/**/*.test.js'"])
def test_a_pattern_for_all_tests_is_let_through_when_the_tests_are_not_known(command):
    assert not blocked(NODE, {"test": command}, None)


@pytest.mark.parametrize("changed", [CALLED | {"unit": "true"}, CALLED | {"all": "true"}, CALLED | {"preunit": "touch x"}])
def test_the_verdict_is_computed_with_every_script_that_the_test_script_calls(changed):
    change = ChangeSet(changes=(FileChange("package.json", "modify", package(changed)),))

    (kept,) = pristine(change, before={"package.json": package(CALLED).encode()}.get).changes

    assert json.loads(kept.data)["scripts"] == CALLED


def test_a_file_that_the_test_script_goes_through_stays_as_it_was():
    change = ChangeSet(changes=(FileChange("tools/run.mjs", "modify", "process.exit(0);\n"),))
    before = {"package.json": package(WRAPPED).encode(), "tools/run.mjs": STARTER.encode()}

    made = pristine(change, before=before.get)

    assert (tuple(made.changes), made.laid_over) == ((), ("tools/run.mjs",))


@pytest.mark.parametrize(
    ("new", "bad"),
    [
        ("process.exit(0);\n", True),
        (STARTER.replace("done.status", "0"), True),
        (STARTER.replace("['--test']", "['--test', '--test-name-pattern=easy']"), True),
        (STARTER + "console.log('all done');\n", False),
    ],
)
def test_a_file_that_the_test_script_goes_through_may_not_end_well_whatever_happens(new, bad):
    change = ChangeSet(changes=(FileChange("tools/run.mjs", "modify", new),))
    before = {"package.json": package(WRAPPED).encode(), "tools/run.mjs": STARTER.encode()}

    assert any(each.severity == "block" for each in scan(change, before=before.get)) is bad
