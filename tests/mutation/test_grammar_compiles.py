"""What the real compilers say of the mutants of a sample file, in one or few batches for each language."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytest.importorskip("tree_sitter", reason="windtunnel[syntax] is not installed")

from grammar_cases import mutated

from windtunnel.mutation.grammars import forced, screened

SAMPLES = Path(__file__).parent / "grammar_samples"
BUN = Path(__file__).parent.parent.parent / ".tools" / "node_modules" / ".bin" / "bun"
_SCRIPTS = """\
const fs = require("fs"), vm = require("vm");
const bad = {};
for (const [name, text] of Object.entries(JSON.parse(fs.readFileSync(process.argv[2], "utf8"))))
  try { new vm.Script(text); } catch (error) { bad[name] = String(error); }
console.log(JSON.stringify(bad));
"""
_TYPED = """\
const fs = require("fs"), tool = new Bun.Transpiler({ loader: "ts" });
const bad = {};
for (const [name, text] of Object.entries(JSON.parse(fs.readFileSync(process.argv[2], "utf8"))))
  try { tool.transformSync(text); } catch (error) { bad[name] = String(error); }
console.log(JSON.stringify(bad));
"""


def needs(program):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{program} is not installed")


def texts(name):
    """Every mutant of a sample as a file, and every function of it that fails at once, by what they are."""
    source = (SAMPLES / name).read_bytes()
    found = [*screened(source, path=name).mutants, *forced(source, path=name)]
    return {f"m{number:03}": (f"{mutant.line} {mutant.operator}: {mutant.description}", mutated(source, mutant).decode())
            for number, mutant in enumerate(found)}


def run(*argv, folder, **variables):
    return subprocess.run([str(part) for part in argv], cwd=folder, env={**os.environ, **variables}, text=True,
                          capture_output=True, timeout=150, check=False)


def judged(all_texts, bad):
    """How many there are at least, and what those are that do not compile."""
    return len(all_texts) > 40, [all_texts[name][0] for name in sorted(bad)]


def loaded(program, script, name, folder):
    """What a script that reads all of them at once finds wrong."""
    given = texts(name)
    (folder / "batch.cjs").write_text(script)
    (folder / "texts.json").write_text(json.dumps({name: text for name, (_, text) in given.items()}))
    result = run(program, folder / "batch.cjs", folder / "texts.json", folder=folder)
    assert (result.returncode, result.stderr) == (0, "")
    return judged(given, json.loads(result.stdout))


@needs("node")
def test_mutants_of_javascript_are_javascript(tmp_path):
    assert loaded("node", _SCRIPTS, "sample.js", tmp_path) == (True, [])


@pytest.mark.skipif(not BUN.exists(), reason="bun is not installed")
def test_mutants_of_typescript_are_typescript(tmp_path):
    assert loaded(BUN, _TYPED, "sample.ts", tmp_path) == (True, [])


@needs("go")
def test_mutants_of_go_compile(tmp_path):
    given = texts("sample.go")
    (tmp_path / "go.mod").write_text("module batch\n\ngo 1.19\n")
    for name, (_, text) in given.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "sample.go").write_text(text)

    result = run("go", "build", "./...", folder=tmp_path, GOPROXY="off", GOFLAGS="", GOCACHE=str(tmp_path / ".cache"))

    bad = set(re.findall(r"^# batch/(m\d+)$", result.stderr, re.MULTILINE))
    assert (result.returncode, *judged(given, bad)) == (0, True, [])


@needs("javac")
def test_mutants_of_java_compile(tmp_path):
    given = texts("Sample.java")
    for name, (_, text) in given.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "Sample.java").write_text(text.replace("package sample;", f"package {name};"))

    # Without these two, code that cannot be reached is not told of while types do not fit somewhere else, and classes
    # are written that nobody needs.
    result = run("javac", "-proc:none", "-nowarn", "-d", tmp_path / "classes", "-Xmaxerrs", "1000",
                 "-XDshould-stop.ifError=FLOW", "-XDshould-stop.ifNoError=FLOW", *(f"{name}/Sample.java" for name in given), folder=tmp_path)

    bad = set(re.findall(r"^(m\d+)/Sample\.java:\d+: error", result.stderr, re.MULTILINE))
    assert (result.returncode, *judged(given, bad)) == (0, True, [])


@needs("rustc")
def test_mutants_of_rust_compile(tmp_path):
    given = texts("sample.rs")
    for name, (_, text) in given.items():
        (tmp_path / f"{name}.rs").write_text(text)
    bad = set()
    # What is wrong with one module can hide what is wrong with another: until the others are without fault.
    for _ in range(4):
        (tmp_path / "lib.rs").write_text("".join(f"pub mod {name};\n" for name in given if name not in bad))
        result = run("rustc", "--edition", "2021", "--crate-type", "lib", "--emit", "metadata", "--cap-lints", "warn",
                     "--error-format", "short", "lib.rs", folder=tmp_path)
        if result.returncode == 0:
            break
        bad |= set(re.findall(r"^(m\d+)\.rs:\d+:\d+: error", result.stderr, re.MULTILINE))

    assert (result.returncode, *judged(given, bad)) == (0, True, [])
