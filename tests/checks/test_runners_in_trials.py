"""Whole trials of projects with runners of JavaScript and Java: found by themselves, run in the real sandbox, read test by test."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest
from test_java_tools import BUILD_GRADLE, POM, REPOSITORY, needs_gradle, needs_junit, needs_maven
from tool_runs import written

sys.path.insert(0, str(Path(__file__).parent / "javascript"))
import rig as rigs

pytestmark = [pytest.mark.timeout(400), pytest.mark.xdist_group("runners")]
CALC = {"calc.js": "exports.add = (a, b) => a + b;\nexports.twice = (a) => 2 * a;\n"}
MODULE = {"calc.js": "export const add = (a, b) => a + b;\nexport const twice = (a) => 2 * a;\n"}
JEST = ("const { add, twice } = require('./calc');\n"
        "describe('sums', () => {\n  test('adds', () => expect(add(2, 3)).toBe(5));\n  test('doubles', () => expect(twice(2)).toBe(4));\n});\n"
        "test.skip('later', () => {});\n")
VITEST = ("import { describe, expect, test } from 'vitest';\nimport { add, twice } from './calc.js';\n" + JEST.partition("\n")[2])
MOCHA = ("const assert = require('assert');\nconst { add, twice } = require('../calc');\n"
         "describe('sums', () => {\n  it('adds', () => assert.equal(add(2, 3), 5));\n  it('doubles', () => assert.equal(twice(2), 4));\n});\n"
         "it.skip('later', () => {});\n")
RUNNERS = {
    "jest": ("jest", {**CALC, "calc.test.js": JEST}, "calc.test.js"),
    "vitest": ("vitest run", {**MODULE, "calc.test.js": VITEST}, "calc.test.js"),
    "mocha": ("mocha", {**CALC, "test/calc.js": MOCHA}, "test/calc.js"),
}


@pytest.fixture(scope="module")
def packages():
    return rigs.installed()


@pytest.fixture
def trial(cli, tmp_path):
    """The result of a trial as ``windtunnel try --json`` tells it, of a project whose one file becomes another."""

    def run(files, changed, content, *options, prepare=lambda project: None):
        project = written(tmp_path / "shop", files)
        prepare(project)
        (tmp_path / "content").write_text(content)
        done = cli("try", "--project", str(project), "--change", f"{changed}={tmp_path}/content", "--no-build", "--no-lint",
                   "--json", *options, seconds=300)
        assert done.returncode in (0, 1), (done.stderr, done.stdout[-2000:])
        return json.loads(done.stdout)

    return run


def link(source, target):
    """A second name for a file where that can be had, else a copy."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def told(result):
    """(tool, channel, status by test) of its one test command."""
    (report,) = [report for report in result["reports"] if report["check"]["kind"] == "test"]
    return report["check"]["tool"], report["channel"], {test["id"]: test["status"] for test in report["tests"]}


@pytest.mark.parametrize("worse", [False, True], ids=["same", "worse"])
@pytest.mark.parametrize("runner", RUNNERS)
def test_a_project_of_javascript_is_found_run_and_read(trial, packages, runner, worse):
    script, files, place = RUNNERS[runner]
    package = json.dumps({"name": "shop", "version": "1.0.0", "scripts": {"test": script}, **({"type": "module"} if runner == "vitest" else {})})

    result = trial({**files, "package.json": package}, "calc.js", files["calc.js"].replace("2 * a", "3 * a" if worse else "a + a"),
                   prepare=lambda project: shutil.copytree(packages, project / "node_modules", symlinks=True, copy_function=link))

    doubles = f"{place} > sums > doubles"
    assert (result["verdict"], result["delta"]["broken"]) == (("not good", [doubles]) if worse else ("good", []))
    assert told(result) == (runner, "live", {
        f"{place} > sums > adds": "passed", doubles: "failed" if worse else "passed", f"{place} > later": "skipped"})


JAVA = "package shop;\n\npublic class Calc {\n    public static int add(int a, int b) { return a + b; }\n    public static int twice(int a) { return 2 * a; }\n}\n"
JAVA_TEST = """\
package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Ignore;
import org.junit.Test;

public class CalcTest {
    @Test public void adds() { assertEquals(5, Calc.add(2, 3)); }

    @Test public void doubles() { assertEquals(4, Calc.twice(2)); }

    @Ignore("not on Sundays") @Test public void later() { }
}
"""
SOURCES = {"src/main/java/shop/Calc.java": JAVA, "src/test/java/shop/CalcTest.java": JAVA_TEST}
# In one process: surefire 2 takes ten seconds to part from a forked one.
MAVEN = {**SOURCES, "pom.xml": POM, ".mvn/maven.config": f"-Dmaven.repo.local={REPOSITORY}\n-DforkCount=0\n"}
GRADLE = {**SOURCES, "build.gradle": BUILD_GRADLE, "settings.gradle": "rootProject.name = 'shop'\n"}


@pytest.mark.slow
@pytest.mark.parametrize(("tool", "files"), [
    pytest.param("maven", MAVEN, marks=[needs_maven, needs_junit]), pytest.param("gradle", GRADLE, marks=[needs_gradle, needs_junit])])
def test_a_project_of_java_is_found_run_and_read(trial, tool, files):
    result = trial(files, "src/main/java/shop/Calc.java", JAVA.replace("2 * a", "3 * a"), "--no-rerun")

    assert (result["verdict"], result["delta"]["broken"]) == ("not good", ["shop.CalcTest#doubles"])
    assert told(result) == (tool, "file", {"shop.CalcTest#adds": "passed", "shop.CalcTest#doubles": "failed", "shop.CalcTest#later": "skipped"})
