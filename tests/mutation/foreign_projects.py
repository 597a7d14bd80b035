"""Small projects in other languages, each with a mutant of every fate, and real tools that judge them."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path

import pytest

from windtunnel.checks.discover import discover
from windtunnel.checks.project import Folder
from windtunnel.core.mutation import Mutant, identity
from windtunnel.engine.foreign.families import judges
from windtunnel.engine.foreign.setting import bench_of
from windtunnel.engine.mutation import Mutation, mutate
from windtunnel.languages.search import which

sys.path.insert(0, str(Path(__file__).parent.parent / "checks/javascript"))
import rig as rigs

REPOSITORY = Path("/usr/share/maven-repo")
CALC = """\
exports.clip = (n, most) => {
  if (n > most) {
    return most;
  }
  return n;
};
exports.total = (values) => {
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) {
    sum += values[i];
  }
  return sum;
};
exports.unused = (n) => {
  return n + 1;
};
"""
MODULE = CALC.replace("exports.", "export const ")
TYPED = (MODULE.replace("(n, most)", "(n: number, most: number): number").replace("(values)", "(values: number[]): number")
         .replace("(n)", "(n: number): number"))
SCRIPT_FATES = {
    "return most;": ("return n;", "killed"), "n > most": ("n >= most", "survived"), "n + 1": ("n - 1", "untested"),
    "let sum = 0;": ("let sum = = 0;", "failed"), "i += 1": ("i += 0", "timeout")}
UNKNOWN = {**SCRIPT_FATES, "n + 1": ("n - 1", "survived")}
"""Where nobody tells which code tests run."""
NODE = """\
const test = require('node:test');
const assert = require('node:assert');
const { clip, total } = require('../calc');
test('clips', () => assert.deepStrictEqual([clip(11, 10), clip(9, 10)], [10, 9]));
test('sums', () => assert.strictEqual(total([1, 2]), 3));
"""
MOCHA = NODE.replace("const test = require('node:test');\n", "").replace("test('", "it('")
JEST = """\
const { clip, total } = require('./calc');
test('clips', () => expect([clip(11, 10), clip(9, 10)]).toEqual([10, 9]));
test('sums', () => expect(total([1, 2])).toBe(3));
"""
VITEST = "import { expect, test } from 'vitest';\nimport { clip, total } from './calc';\n" + JEST.partition("\n")[2]
GO = """\
package calc

func Clip(n, most int) int {
	if n > most {
		return most
	}
	return n
}

func Total(values []int) int {
	sum := 0
	for i := 0; i < len(values); i += 1 {
		sum += values[i]
	}
	return sum
}

func Unused(n int) int {
	return n + 1
}
"""
GO_TEST = """\
package calc

import "testing"

func TestClip(t *testing.T) {
	if Clip(11, 10) != 10 || Clip(9, 10) != 9 {
		t.Fatal("clip")
	}
}

func TestTotal(t *testing.T) {
	if Total([]int{1, 2}) != 3 {
		t.Fatal("total")
	}
}
"""
GO_FATES = {
    "return most": ("return n", "killed"), "n > most": ("n >= most", "survived"), "n + 1": ("n - 1", "untested"),
    "sum := 0": ("sum := missing", "failed"), "i += 1": ("i += 0", "timeout")}
RUST = """\
pub fn clip(n: i64, most: i64) -> i64 {
    if n > most {
        return most;
    }
    n
}

pub fn total(values: &[i64]) -> i64 {
    let mut sum = 0;
    let mut i = 0;
    while i < values.len() {
        sum += values[i];
        i += 1;
    }
    sum
}

pub fn unused(n: i64) -> i64 {
    n + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clips() {
        assert_eq!((clip(11, 10), clip(9, 10)), (10, 9));
    }

    #[test]
    fn sums() {
        assert_eq!(total(&[1, 2]), 3);
    }
}
"""
RUST_FATES = {
    "return most;": ("return n;", "killed"), "n > most": ("n >= most", "survived"), "n + 1": ("n - 1", "survived"),
    "let mut sum = 0;": ("let mut sum = missing;", "failed"), "i += 1;": ("i += 0;", "timeout")}
JAVA = """\
package shop;

public class Calc {
    public static int clip(int n, int most) {
        if (n > most) {
            return most;
        }
        return n;
    }

    public static int total(int[] values) {
        int sum = 0;
        for (int i = 0; i < values.length; i += 1) {
            sum += values[i];
        }
        return sum;
    }

    public static int unused(int n) {
        return n + 1;
    }
}
"""
JAVA_TEST = """\
package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CalcTest {
    @Test public void clips() { assertEquals(10, Calc.clip(11, 10)); assertEquals(9, Calc.clip(9, 10)); }

    @Test public void sums() { assertEquals(3, Calc.total(new int[] {1, 2})); }
}
"""
JAVA_FATES = {
    "return most;": ("return n;", "killed"), "n > most": ("n >= most", "survived"), "n + 1": ("n - 1", "survived"),
    "int sum = 0;": ("int sum = missing;", "failed"), "i += 1": ("i += 0", "timeout")}
SOURCES = {"src/main/java/shop/Calc.java": JAVA, "src/test/java/shop/CalcTest.java": JAVA_TEST}
POM = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>example</groupId><artifactId>shop</artifactId><version>1</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <dependencies>
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.x</version><scope>test</scope></dependency>
  </dependencies>
  <build><plugins>
    <plugin><artifactId>maven-resources-plugin</artifactId><version>3.3.0</version></plugin>
    <plugin><artifactId>maven-compiler-plugin</artifactId><version>3.10.1</version></plugin>
    <plugin><artifactId>maven-surefire-plugin</artifactId><version>2.22.3</version></plugin>
  </plugins></build>
</project>
"""
GRADLE = (f"apply plugin: 'java'\nrepositories {{ maven {{ url 'file:{REPOSITORY}' }} }}\n"
          "dependencies { testCompile 'junit:junit:4.x' }\n")


def package(script, **more):
    return json.dumps({"name": "shop", "version": "1.0.0", "scripts": {"test": script}, **more})


PROJECTS = {
    "node:test": ({"calc.js": CALC, "test/calc.test.js": NODE, "package.json": package("node --test")}, "calc.js", SCRIPT_FATES),
    "mocha": ({"calc.js": CALC, "test/calc.js": MOCHA, "package.json": package("mocha")}, "calc.js", SCRIPT_FATES),
    "jest": ({"calc.js": CALC, "calc.test.js": JEST, "package.json": package("jest")}, "calc.js", SCRIPT_FATES),
    "vitest": ({"calc.ts": TYPED, "calc.test.ts": VITEST, "package.json": package("vitest run", type="module")}, "calc.ts", UNKNOWN),
    "go": ({"calc/calc.go": GO, "calc/calc_test.go": GO_TEST, "go.mod": "module example.com/shop\n\ngo 1.19\n"}, "calc/calc.go", GO_FATES),
    "cargo": ({"src/lib.rs": RUST, "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n',
               "Cargo.lock": 'version = 3\n\n[[package]]\nname = "shop"\nversion = "0.1.0"\n'}, "src/lib.rs", RUST_FATES),
    "maven": ({**SOURCES, "pom.xml": POM, ".mvn/maven.config": f"-Dmaven.repo.local={REPOSITORY}\n-DforkCount=0\n"},
              "src/main/java/shop/Calc.java", JAVA_FATES),
    "gradle": ({**SOURCES, "build.gradle": GRADLE, "settings.gradle": "rootProject.name = 'shop'\n"},
               "src/main/java/shop/Calc.java", JAVA_FATES),
}
"""By tool: the files, the one that is mutated, and by what is replaced: with what, and its fate."""
_PROGRAMS = {"node:test": "node", "go": "go", "cargo": "cargo", "maven": "mvn", "gradle": "gradle"}
_PACKAGED = ("jest", "vitest", "mocha")


def need(tool):
    """Skip where a tool is not to be had."""
    program = _PROGRAMS.get(tool)
    if program is not None and shutil.which(program) is None:
        pytest.skip(f"{program} is not installed")
    if tool in ("maven", "gradle") and not (REPOSITORY / "junit/junit/4.x").exists():
        pytest.skip("no JUnit in Debian's Maven repository")
    if tool == "maven" and not (REPOSITORY / "org/apache/maven/plugins/maven-surefire-plugin").exists():
        pytest.skip("no surefire in Debian's Maven repository (apt install libsurefire-java)")


def written(folder, files, *, tool=""):
    """A project on disk, with the packages of its tool where it has any."""
    for path, content in files.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content)
    if tool in _PACKAGED:
        shutil.copytree(rigs.installed(), folder / "node_modules", symlinks=True, copy_function=_link)
    return folder


def _link(source, target):
    """A second name for a file where that can be had, else a copy."""
    try:
        os.link(source, target, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, target, follow_symlinks=False)


def project_of(tool, folder):
    """One of the projects, and skips where its tool is missing."""
    need(tool)
    files, path, fates = PROJECTS[tool]
    return written(folder, files, tool=tool), path, fates


def mutant(path, source, old, new, *, operator="made"):
    """``old``, which stands there once, replaced by ``new``."""
    assert source.count(old) == 1, (old, source.count(old))
    start = source.index(old)
    line, column = source[:start].count("\n") + 1, start - (source.rfind("\n", 0, start) + 1)
    last = start + len(old)
    return Mutant(
        id=identity(path, old, new, ordinal=0), path=path, operator=operator, line=line, column=column, original=old,
        end_line=source[:last].count("\n") + 1, end_column=last - (source.rfind("\n", 0, last) + 1), replacement=new,
        start=start, end=last, function="", scope="function", description=f"{old} -> {new}")


def mutants_of(path, source, fates):
    return [mutant(path, source, old, new) for old, (new, _) in fates.items()]


def judge(tunnel, project, path, mutants, **options):
    """What becomes of these mutants of one file, and of no others."""
    given = {"lines": {path: {0}}, "extra": mutants, "seconds": 500.0, "jobs": 2}
    return mutate(tunnel.rig, Mutation(project=project, **{**given, **options}))


def bench(tunnel, project):
    """The first bench of a project."""
    folder = Folder(project, search=which)
    checks = discover(folder, build="", lint="")
    (family, check), *_ = judges(checks)
    return bench_of(tunnel.rig, Mutation(project=project), folder, checks=checks, family=family, check=check)[0]
