import json
import shutil
import time

import pytest
from tool_runs import HOSTILE, Files, check_of, read_run, statuses, written

from windtunnel.checks.cargo_build import TOOL as BUILD
from windtunnel.checks.cargo_test import TOOL as TEST
from windtunnel.checks.clippy import TOOL as CLIPPY
from windtunnel.core.tool import Ask, Output, Reading
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, LintResult, Status

TOOLS = (BUILD, CLIPPY, TEST)
MANIFEST = {"Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n'}
needs_cargo = pytest.mark.skipif(shutil.which("cargo") is None, reason="cargo is not installed")
needs_clippy = pytest.mark.skipif(shutil.which("cargo-clippy") is None, reason="Clippy is not installed")

LIBRARY = """\
/// Adds.
///
/// ```
/// assert_eq!(shop::add(1, 2), 3);
/// ```
///
/// ```
/// assert_eq!(shop::add(1, 2), 4);
/// ```
pub fn add(a: i32, b: i32) -> i32 {
    a + b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        println!("test tests::forged ... ok");
        assert_eq!(add(1, 2), 3);
    }

    #[test]
    fn is_wrong() {
        assert_eq!(add(1, 2), 4, "one and two");
    }

    #[test]
    #[ignore = "not on Sundays"]
    fn later() {}

    #[test]
    #[should_panic(expected = "boom")]
    fn panics() {
        panic!("boom");
    }

    #[test]
    fn breaks() {
        let list: Vec<i32> = Vec::new();
        list[3];
    }
}
"""


@pytest.fixture
def cargo(tmp_path):
    def cargo(tool, files, *argv, ask=None):
        project = written(tmp_path / "shop", {**MANIFEST, **files})
        return read_run(tool, "cargo", *argv, project=project, scratch=tmp_path / "scratch", ask=ask)

    return cargo


def said(text, *, code=0, artifacts=("a",)):
    built = "".join(
        json.dumps({
            "reason": "compiler-artifact", "target": {"name": name, "src_path": f"/workspace/tests/{name}.rs"},
            "profile": {"test": True}, "executable": f"/workspace/target/debug/deps/{name}-1"}) + "\n"
        for name in artifacts)
    return TEST.read(Output(exit_code=code, stdout=(built + text).encode()), check_of(TEST, "cargo", "test"))


def binary(*tests, name="a", count=None, totals="1 passed; 0 failed; 0 ignored"):
    lines = [f"     Running tests/{name}.rs (target/debug/deps/{name}-1)", "", f"running {count or len(tests)} tests", *tests, ""]
    return "\n".join([*lines, f"test result: ok. {totals}; 0 measured; 0 filtered out; finished in 0.00s", ""])


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_each_example_is_read_as_it_says(tool):
    assert [tool.read(example.output, check_of(tool, "cargo")) for example in tool.examples] == [
        example.reading for example in tool.examples]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("data", HOSTILE)
def test_hostile_output_never_raises_and_never_passes(tool, data):
    reading = tool.read(Output(exit_code=1, stdout=data, stderr=data), check_of(tool, "cargo"))

    assert not any(test.passed for test in reading.tests)
    assert reading.tests or reading.findings or reading.notes


def test_a_manifest_is_built_and_tested_and_checked_where_clippy_is():
    project = Files(programs=("cargo-clippy",), **MANIFEST)

    assert [tool.detect(project) for tool in TOOLS] == [
        Check(kind=Kind.BUILD, tool="cargo build", argv=("cargo", "build"), found_in="Cargo.toml"),
        Check(kind=Kind.LINT, tool="cargo clippy", argv=("cargo", "clippy"), found_in="Cargo.toml"),
        Check(kind=Kind.TEST, tool="cargo test", argv=("cargo", "test"), found_in="Cargo.toml"),
    ]


def test_clippy_is_wanted_where_it_is_set_up():
    lints = {"Cargo.toml": "[package]\n[lints.clippy]\nall = 'deny'\n"}

    assert [CLIPPY.detect(Files(**files)) is not None for files in (MANIFEST, lints, {**MANIFEST, "clippy.toml": ""}, {"clippy.toml": ""})] == [
        False, True, True, False]


@pytest.mark.parametrize(("argv", "names"), [
    (("cargo", "test"), ["cargo test"]), (("cargo", "+nightly", "t", "-q"), ["cargo test"]),
    (("/x/cargo", "check"), ["cargo build"]), (("cargo", "clippy", "--", "-D", "warnings"), ["cargo clippy"]),
    (("cargo", "run", "test"), []), (("cargo",), []), ((), []),
])
def test_a_command_is_recognised_by_its_words(argv, names):
    assert [tool.name for tool in TOOLS if tool.recognise(argv)] == names


JSON = "--message-format=json"


@pytest.mark.parametrize(("argv", "ask", "ready"), [
    (("cargo", "test"), Ask(), ("cargo", "test", JSON, "--no-fail-fast", "--", "--format=pretty")),
    (("cargo", "test", "-q", "--message-format", "short", "--", "--test-threads=1"), Ask(fail_fast=True),
     ("cargo", "test", JSON, "--", "--test-threads=1", "--format=pretty")),
    (("cargo", "test"), Ask(pattern="add"), ("cargo", "test", JSON, "--no-fail-fast", "--", "--format=pretty", "add")),
    (("cargo", "test"), Ask(select=("src/lib.rs::tests::adds", "tests/api.rs::works")),
     ("cargo", "test", JSON, "--no-fail-fast", "--", "--format=pretty", "--exact", "tests::adds", "works")),
    (("cargo", "test"), Ask(select=("doc-tests shop::src/lib.rs - add #2", "a.rs::b")),
     ("cargo", "test", JSON, "--no-fail-fast", "--", "--format=pretty", "src/lib.rs - add", "b")),
    (("cargo", "test"), Ask(select=("src/lib.rs::--list",)), ("cargo", "test", JSON, "--no-fail-fast", "--", "--format=pretty")),
])
def test_a_command_is_made_to_speak(argv, ask, ready):
    invocation = TEST.prepare(check_of(TEST, *argv), ask)

    assert invocation.argv == ("sh", "-c", 'exec "$0" "$@" 2>&1', *ready)
    assert dict(invocation.env) == {"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never"}


def test_an_honest_binary_passes_without_a_word():
    assert said(binary("test b ... ok")) == Reading(
        channel=Channel.TEXT, tests=(ExecutionTestResult(id="tests/a.rs::b", status=Status.PASSED, tool="cargo test"),))


def test_a_binary_without_its_last_line_is_an_error():
    reading = said("     Running tests/a.rs (target/debug/deps/a-1)\n\nrunning 2 tests\ntest b ... ok\n")

    assert statuses(reading) == {"tests/a.rs::b": "passed", "tests/a.rs": "error"}


def test_a_binary_that_cargo_did_not_build_is_not_believed():
    reading = said(binary("test b ... ok") + binary("test c ... ok", name="forged"))

    assert reading.notes[0] == "not what cargo runs, or twice: Running tests/forged.rs (target/debug/deps/forged-1)"
    assert "tests/forged.rs::c" not in statuses(reading)


def test_a_test_with_two_results_has_the_worst_and_the_number_is_wrong():
    reading = said(binary("test b ... ok", "test b ... FAILED", count=1, totals="0 passed; 1 failed; 0 ignored"), code=101)

    assert statuses(reading) == {"tests/a.rs::b": "failed"}
    assert reading.notes == (
        "tests/a.rs announced 1 tests and reported 2", "reported with different results, the worst counts: tests/a.rs::b")


def test_lines_made_to_be_slow_are_read_at_once():
    started = time.monotonic()

    said(binary(*["test a" + " ... ok (" * 1500] * 200, *["test " + "a test " * 2000] * 200))

    assert time.monotonic() - started < 5


def test_totals_that_do_not_fit_are_named():
    reading = said(binary("test b ... ok", totals="0 passed; 1 failed; 0 ignored"), code=101)

    assert reading.notes == ("tests/a.rs reported other results than it summed up",)
    assert statuses(reading)["cargo test"] == "error"


def test_a_binary_that_says_nothing_has_not_passed():
    reading = said("     Running tests/a.rs (target/debug/deps/a-1)\nbye\n")

    assert reading == Reading(channel=Channel.TEXT, notes=(
        "tests/a.rs said nothing of tests: a harness of its own, or it ended early", "no test was executed"))


def test_a_documentation_test_keeps_its_name_when_lines_move():
    text = """\
   Doc-tests a

running 2 tests
test src/lib.rs - add (line {}) ... ok
test src/lib.rs - add (line {}) - compile fail ... ok

test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s
"""

    first, moved = said(text.format(9, 5)), said(text.format(19, 15))

    assert first.tests == moved.tests
    assert statuses(first) == {"doc-tests a::src/lib.rs - add": "passed", "doc-tests a::src/lib.rs - add #2": "passed"}


@needs_cargo
def test_a_real_run_is_read_test_by_test(cargo):
    reading = cargo(TEST, {
        "src/lib.rs": LIBRARY,
        "tests/api.rs": "#[test]\nfn works() {\n    assert_eq!(shop::add(2, 2), 4);\n}\n",
        "tests/dies.rs": "#[test]\nfn aborts() {\n    std::process::abort();\n}\n",
        "tests/leaves.rs": "#[test]\nfn leaves() {\n    std::process::exit(0);\n}\n",
    }, "test")

    found = {test.id: (str(test.status), test.category, test.path, test.line) for test in reading.tests}
    assert found.pop("doc-tests shop::src/lib.rs - add #2")[:2] == ("failed", "assertion")
    assert found == {
        "src/lib.rs::tests::adds": ("passed", "", None, None),
        "src/lib.rs::tests::is_wrong": ("failed", "assertion", "src/lib.rs", 26),
        "src/lib.rs::tests::later": ("skipped", "", None, None),
        "src/lib.rs::tests::panics": ("passed", "", None, None),
        "src/lib.rs::tests::breaks": ("failed", "exception", "src/lib.rs", 42),
        "tests/api.rs::works": ("passed", "", None, None),
        "tests/dies.rs": ("error", "crash", None, None),
        "tests/leaves.rs": ("error", "crash", None, None),
        "doc-tests shop::src/lib.rs - add": ("passed", "", None, None),
    }
    assert reading.notes == ()
    assert reading.channel is Channel.TEXT


@needs_cargo
def test_a_forged_line_on_the_descriptor_itself_turns_no_failure_into_a_pass(cargo):
    reading = cargo(TEST, {"src/lib.rs": """\
#[test]
fn wrong() {
    use std::io::Write;
    std::io::stdout().write_all(b"test wrong ... ok\\n").unwrap();
    panic!("wrong");
}
"""}, "test", "--lib")

    assert statuses(reading) == {"src/lib.rs::wrong": "failed"}
    assert "src/lib.rs announced 1 tests and reported 2" in reading.notes


@pytest.mark.parametrize(("totals", "expected"), [
    ("1 passed; 1 failed; 0 ignored", {"tests/a.rs::one": "passed", "tests/a.rs::two": "failed"}),
    ("0 passed; 2 failed; 0 ignored", {"tests/a.rs::one": "failed", "tests/a.rs::two": "failed"}),
    ("2 passed; 1 failed; 0 ignored", {"tests/a.rs::two": "failed"}),
])
@pytest.mark.parametrize("lines", [("test one ... ", "hellook"), ("test one ... hellook",)], ids=["next line", "same line"])
def test_an_end_that_others_wrote_into_is_known_by_the_totals_or_not_at_all(lines, totals, expected):
    reading = said(binary(*lines, "test two ... FAILED", count=2, totals=totals), code=101)

    assert statuses(reading) == expected


@needs_cargo
@pytest.mark.parametrize("threads", ["1", "2"])
def test_children_that_write_within_the_lines_hide_no_result(cargo, threads):
    reading = cargo(TEST, {"src/lib.rs": """\
fn say(words: &str) {
    assert!(std::process::Command::new("printf").arg(words).status().unwrap().success());
}

#[test]
fn a_line() {
    say("hello\\\\n");
}

#[test]
fn before() {
    say("\\\\nhello");
    say("\\\\n");
    panic!("no");
}
"""}, "test", "--lib", "--", f"--test-threads={threads}")

    assert statuses(reading) == {"src/lib.rs::a_line": "passed", "src/lib.rs::before": "failed"}


@needs_cargo
def test_a_selection_runs_what_was_asked_for(cargo):
    reading = cargo(TEST, {"src/lib.rs": LIBRARY}, "test", "--lib", ask=Ask(select=("src/lib.rs::tests::adds",)))

    assert statuses(reading) == {"src/lib.rs::tests::adds": "passed"}


@needs_cargo
def test_what_does_not_compile_is_an_error_with_findings(cargo):
    reading = cargo(TEST, {"src/lib.rs": "pub fn add() -> i32 {\n    missing\n}\n"}, "test")

    assert statuses(reading) == {"src/lib.rs": "error"}
    assert reading.findings == (LintResult(
        tool="cargo test", rule="E0425", path="src/lib.rs", line=2, column=5, severity="error", category="type",
        message="cannot find value `missing` in this scope: not found in this scope"),)
    assert reading.notes == ("no test was executed",)


@needs_cargo
def test_build_finds_warnings_and_succeeds(cargo):
    reading = cargo(BUILD, {"src/lib.rs": "pub fn add() {\n    let unused = 3;\n}\n"}, "build")

    assert reading == Reading(channel=Channel.STREAM, findings=(LintResult(
        tool="cargo build", rule="unused_variables", message="unused variable: `unused`", path="src/lib.rs", line=2,
        column=9, severity="warning", category="style"),))


@needs_cargo
def test_a_broken_manifest_is_told_and_not_passed_over(cargo):
    reading = cargo(BUILD, {"Cargo.toml": "[package\n"}, "build")

    assert (reading.channel, reading.findings, len(reading.notes)) == (Channel.EXIT_CODE, (), 1)


@needs_cargo
@needs_clippy
def test_clippy_finds_what_the_compiler_allows(cargo):
    reading = cargo(CLIPPY, {"src/lib.rs": "pub fn add(a: i32, b: i32) -> i32 {\n    return a + b;\n}\n"}, "clippy")

    assert reading == Reading(channel=Channel.STREAM, findings=(LintResult(
        tool="cargo clippy", rule="clippy::needless_return", message="unneeded `return` statement", path="src/lib.rs",
        line=2, column=5, severity="warning", category="style"),))
