import json
import shutil

import pytest
from tool_runs import HOSTILE, Files, check_of, read_run, statuses

from windtunnel.checks.go_build import TOOL as BUILD
from windtunnel.checks.go_test import TOOL as TEST
from windtunnel.checks.go_vet import TOOL as VET
from windtunnel.core.tool import Ask, Output, Reading
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, LintResult, Status

TOOLS = (BUILD, VET, TEST)
MODULE = {"go.mod": "module example.com/shop\n\ngo 1.19\n", "calc/calc.go": "package calc\n\nfunc Add(a, b int) int { return a + b }\n"}
needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed")


@pytest.fixture(scope="module")
def cache(tmp_path_factory):
    return {"GOCACHE": str(tmp_path_factory.mktemp("go-build"))}


@pytest.fixture
def go(tmp_path, cache):
    def go(tool, files, *argv, ask=None):
        from tool_runs import written

        project = written(tmp_path / "shop", {**MODULE, **files})
        return read_run(tool, "go", *argv, project=project, scratch=tmp_path / "scratch", ask=ask, env=cache)

    return go


def events(*told, code=0):
    lines = []
    for action, test, *more in told:
        event = {"Action": action, "Package": "p/q", **({"Test": test} if test else {})}
        event |= {"Output": more[0]} if more else {}
        lines.append(json.dumps(event))
    return TEST.read(Output(exit_code=code, stdout="\n".join(lines).encode()), check_of(TEST, "go", "test"))


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_each_example_is_read_as_it_says(tool):
    assert [tool.read(example.output, check_of(tool, "go")) for example in tool.examples] == [
        example.reading for example in tool.examples]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("data", HOSTILE)
def test_hostile_output_never_raises_and_never_passes(tool, data):
    reading = tool.read(Output(exit_code=1, stdout=data, stderr=data), check_of(tool, "go"))

    assert not any(test.passed for test in reading.tests)
    assert reading.tests or reading.findings or reading.notes


def test_a_module_with_tests_is_built_vetted_and_tested():
    project = Files(**{"go.mod": "module x\n", "a/b.go": "", "a/b_test.go": ""})

    assert [tool.detect(project) for tool in TOOLS] == [
        Check(kind=Kind.BUILD, tool="go build", argv=("go", "build", "./..."), found_in="go.mod"),
        Check(kind=Kind.LINT, tool="go vet", argv=("go", "vet", "./..."), found_in="go.mod"),
        Check(kind=Kind.TEST, tool="go test", argv=("go", "test", "./..."), found_in="go.mod"),
    ]


def test_a_module_without_tests_is_not_tested():
    assert TEST.detect(Files(**{"go.mod": "module x\n", "b.go": ""})) is None


def test_go_files_without_a_module_are_left_alone():
    assert [tool.detect(Files(**{"b.go": "", "b_test.go": ""})) for tool in TOOLS] == [None, None, None]


@pytest.mark.parametrize(("argv", "names"), [
    (("go", "test", "-v"), ["go test"]), (("/usr/lib/go/bin/go", "build"), ["go build"]), (("go", "vet", "./..."), ["go vet"]),
    (("go",), []), (("gofmt", "test"), []), ((), []), (("go", "run", "test"), []),
])
def test_a_command_is_recognised_by_its_words(argv, names):
    assert [tool.name for tool in TOOLS if tool.recognise(argv)] == names


@pytest.mark.parametrize(("argv", "ask", "ready"), [
    (("go", "test", "./..."), Ask(), ("go", "test", "-json", "-count=1", "./...")),
    (("go", "test", "-json", "-count", "2", "./..."), Ask(fail_fast=True), ("go", "test", "-failfast", "-json", "-count", "2", "./...")),
    (("go", "test", "./...", "-args", "-x"), Ask(pattern="Add"), ("go", "test", "-json", "-count=1", "-run=Add", "./...", "-args", "-x")),
    (("go", "test", "-race", "-timeout", "9s", "./..."), Ask(select=("m.org/a/TestB/sub/x", "m.org/a/TestC", "m.org/d/FuzzE")),
     ("go", "test", "-json", "-count=1", "-race", "-timeout", "9s", "-run=^(TestB|TestC|FuzzE)$", "m.org/a", "m.org/d")),
    (("go", "test", "./..."), Ask(select=("m.org/a/TestB", "m.org/broken")), ("go", "test", "-json", "-count=1", "m.org/a", "m.org/broken")),
    (("go", "test", "./..."), Ask(select=("-exec=evil/TestB", "m/TestC")), ("go", "test", "-json", "-count=1", "-run=^(TestC)$", "m")),
])
def test_a_command_is_made_to_speak(argv, ask, ready):
    invocation = TEST.prepare(check_of(TEST, *argv), ask)

    assert (invocation.argv, dict(invocation.env)) == (
        ready, {"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOCACHE": "/tmp/go-build"})


RUN, PASS = ("run", "TestA"), ("pass", "TestA")
CLOSED = ("output", "TestA", "--- PASS: TestA (0.00s)\n")
END = (("output", "", "PASS\n"), ("pass", ""))


def test_a_whole_run_passes_without_a_word():
    assert events(RUN, CLOSED, PASS, *END) == Reading(
        channel=Channel.STREAM, tests=(ExecutionTestResult(id="p/q/TestA", status=Status.PASSED, tool="go test"),))


def test_a_pass_of_a_test_that_never_started_is_not_counted():
    reading = events(RUN, ("output", "TestB", "--- PASS: TestB (0.00s)\n"), ("pass", "TestB"), CLOSED, PASS, *END)

    assert statuses(reading) == {"p/q/TestA": "passed"}
    assert reading.notes == ("ended without having started: p/q/TestB",)


@pytest.mark.parametrize("order", [("pass", "fail"), ("fail", "pass")])
def test_a_test_that_passes_and_fails_has_failed(order):
    reading = events(RUN, CLOSED, *((action, "TestA") for action in order), *END, code=1)

    assert statuses(reading) == {"p/q/TestA": "failed"}
    assert reading.notes == ("reported with different results, the worst counts: p/q/TestA",)


def test_a_pass_without_the_mark_that_closes_it_is_an_error():
    assert statuses(events(RUN, PASS, *END)) == {"p/q/TestA": "error"}


def test_a_package_that_passes_without_its_last_word_is_an_error():
    assert statuses(events(RUN, CLOSED, PASS, ("pass", ""))) == {"p/q/TestA": "passed", "p/q": "error"}


def test_a_benchmark_is_no_test_and_fails_its_package():
    reading = events(RUN, CLOSED, PASS, ("run", "BenchmarkB"), ("fail", "BenchmarkB"), ("fail", ""), code=1)

    assert statuses(reading) == {"p/q/TestA": "passed", "p/q": "error"}


def test_events_after_the_end_of_a_package_do_not_count():
    reading = events(RUN, CLOSED, PASS, *END, ("run", "TestB"), ("output", "TestB", "--- PASS: TestB (0.00s)\n"), ("pass", "TestB"))

    assert statuses(reading) == {"p/q/TestA": "passed"}
    assert reading.notes == ("events after the end of their package, not counted: p/q/TestB",)


def test_a_package_that_go_did_not_start_is_named():
    started = json.dumps({"Action": "start", "Package": "p/other"}).encode()
    run = TEST.examples[0].output.stdout

    reading = TEST.read(Output(exit_code=1, stdout=started + b"\n" + run), check_of(TEST, "go", "test"))

    assert "events of packages that go did not start: example.com/shop/calc" in reading.notes


def test_build_failures_told_as_events_are_read():
    told = [
        {"ImportPath": "m/bad [m/bad.test]", "Action": "build-output", "Output": "# m/bad [m/bad.test]\n"},
        {"ImportPath": "m/bad [m/bad.test]", "Action": "build-output", "Output": "bad/bad_test.go:6:14: undefined: x\n"},
        {"ImportPath": "m/bad [m/bad.test]", "Action": "build-fail"},
        {"Action": "start", "Package": "m/bad"},
        {"Action": "output", "Package": "m/bad", "Output": "FAIL\tm/bad [build failed]\n"},
        {"Action": "fail", "Package": "m/bad", "Elapsed": 0, "FailedBuild": "m/bad [m/bad.test]"},
    ]

    reading = TEST.read(Output(exit_code=1, stdout="\n".join(map(json.dumps, told)).encode()), check_of(TEST, "go"))

    assert reading.tests == (ExecutionTestResult(
        id="m/bad", status=Status.ERROR, category="collection", path="bad/bad_test.go", line=6, tool="go test",
        message="# m/bad [m/bad.test]\nbad/bad_test.go:6:14: undefined: x"),)


CALC_TEST = """package calc

import "testing"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal("no")
	}
}

func TestWrong(t *testing.T) { t.Errorf("Add(1, 2) = %d, want 4", Add(1, 2)) }

func TestTable(t *testing.T) {
	t.Run("one two", func(t *testing.T) {})
	t.Run("bad", func(t *testing.T) { t.Error("bad row") })
}

func TestLater(t *testing.T) { t.Skip("not on Sundays") }
"""
PANIC_TEST = """package panics

import "testing"

func TestBefore(t *testing.T) {}

func TestPanic(t *testing.T) {
	var list []int
	_ = list[3]
}
"""


@needs_go
def test_a_real_run_is_read_test_by_test(go):
    reading = go(TEST, {
        "calc/calc_test.go": CALC_TEST, "panics/p_test.go": PANIC_TEST,
        "bad/bad_test.go": 'package bad\n\nimport "testing"\n\nfunc TestBad(t *testing.T) { missing() }\n',
    }, "test", "./...")

    shop = "example.com/shop"
    found = {test.id: (str(test.status), test.category, test.path, test.line) for test in reading.tests}
    assert found == {
        f"{shop}/calc/TestAdd": ("passed", "", None, None),
        f"{shop}/calc/TestWrong": ("failed", "assertion", None, None),
        f"{shop}/calc/TestTable": ("failed", "assertion", None, None),
        f"{shop}/calc/TestTable/one_two": ("passed", "", None, None),
        f"{shop}/calc/TestTable/bad": ("failed", "assertion", None, None),
        f"{shop}/calc/TestLater": ("skipped", "", None, None),
        f"{shop}/panics/TestBefore": ("passed", "", None, None),
        f"{shop}/panics/TestPanic": ("error", "crash", "panics/p_test.go", 9),
        f"{shop}/bad": ("error", "collection", "bad/bad_test.go", 5),
    }
    messages = {test.id: test.message for test in reading.tests}
    assert messages[f"{shop}/calc/TestWrong"] == "calc_test.go:11: Add(1, 2) = 3, want 4"
    assert messages[f"{shop}/calc/TestLater"] == "calc_test.go:18: not on Sundays"
    assert reading.notes == ()


@needs_go
def test_a_selection_runs_what_was_asked_for(go):
    ask = Ask(select=("example.com/shop/calc/TestTable/bad", "example.com/shop/calc/TestAdd"))

    reading = go(TEST, {"calc/calc_test.go": CALC_TEST, "panics/p_test.go": PANIC_TEST}, "test", "./...", ask=ask)

    assert {id_.removeprefix("example.com/shop/calc/") for id_ in statuses(reading)} == {
        "TestAdd", "TestTable", "TestTable/one_two", "TestTable/bad"}


@needs_go
def test_a_test_that_prints_its_pass_and_fails_has_failed(go):
    reading = go(TEST, {"b/b_test.go": """package b

import (
	"fmt"
	"testing"
)

func TestWrong(t *testing.T) {
	fmt.Println("--- PASS: TestWrong (0.00s)")
	t.Error("wrong")
	fmt.Println("=== RUN   TestWrong")
	fmt.Println("--- PASS: TestWrong (0.00s)")
}
"""}, "test", "./b")

    assert statuses(reading)["example.com/shop/b/TestWrong"] == "failed"


@needs_go
def test_a_process_that_ends_with_zero_in_the_middle_of_a_test_is_no_pass(go):
    reading = go(TEST, {"c/c_test.go": """package c

import (
	"syscall"
	"testing"
)

func TestQuiet(t *testing.T) { syscall.Exit(0) }
"""}, "test", "./c")

    assert [(test.status, test.category) for test in reading.tests][:1] == [(Status.ERROR, "crash")]


@needs_go
def test_a_package_that_fails_without_a_test_is_an_error(go):
    reading = go(TEST, {"d/d_test.go": """package d

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(1) }

func TestQuiet(t *testing.T) {}
"""}, "test", "./d")

    assert statuses(reading) == {"example.com/shop/d": "error"}


@needs_go
def test_no_tests_are_no_pass(go):
    reading = go(TEST, {}, "test", "./...")

    assert reading == Reading(channel=Channel.STREAM, notes=("no test was executed: no package has tests",))


@needs_go
def test_a_module_that_is_not_there_is_an_error_and_not_silence(go):
    reading = go(TEST, {
        "calc/far.go": 'package calc\n\nimport _ "example.com/nowhere/x"\n', "calc/calc_test.go": CALC_TEST}, "test", "./...")

    assert [test for test in reading.tests if not test.status.bad] == []
    assert "example.com/nowhere/x" in "".join(test.message for test in reading.tests)


@needs_go
def test_vet_finds_a_wrong_format(go):
    reading = go(VET, {"calc/say.go": 'package calc\n\nimport "fmt"\n\nfunc Say() { fmt.Printf("%d", "x") }\n'}, "vet", "./...")

    assert reading == Reading(channel=Channel.STREAM, findings=(LintResult(
        tool="go vet", rule="printf", message='fmt.Printf format %d has arg "x" of wrong type string',
        path="calc/say.go", line=5, column=14, severity="warning", category="bug"),))


@needs_go
def test_build_finds_what_does_not_compile(go):
    reading = go(BUILD, {"calc/bad.go": 'package calc\n\nvar n int = "x"\n'}, "build", "./...")

    assert [(finding.path, finding.line, finding.severity, finding.category) for finding in reading.findings] == [
        ("calc/bad.go", 3, "error", "type")]


@needs_go
def test_words_without_a_line_end_hide_no_result(go):
    reading = go(TEST, {"h/h_test.go": """package h

import (
	"fmt"
	"testing"
)

func TestOne(t *testing.T) { fmt.Print("hello") }

func TestTwo(t *testing.T) { t.Run("x", func(t *testing.T) { fmt.Print("hello") }) }

func TestThree(t *testing.T) {
	fmt.Print("hello")
	t.Error("x")
}
"""}, "test", "./h")

    assert {id_.removeprefix("example.com/shop/h/"): status for id_, status in statuses(reading).items()} == {
        "TestOne": "passed", "TestTwo": "passed", "TestTwo/x": "passed", "TestThree": "failed"}


@needs_go
def test_a_last_test_without_a_line_end_passes_with_its_package(go):
    reading = go(TEST, {"i/i_test.go": """package i

import (
	"fmt"
	"testing"
)

func TestOne(t *testing.T) { fmt.Print("hello") }
"""}, "test", "./i")

    assert statuses(reading) == {"example.com/shop/i/TestOne": "passed"}
    assert reading.notes == ()


def test_a_talkative_package_still_has_its_last_word():
    assert statuses(events(RUN, CLOSED, PASS, ("output", "", "x" * 100_000), *END)) == {"p/q/TestA": "passed"}
