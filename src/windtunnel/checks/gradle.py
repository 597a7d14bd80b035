"""Gradle: the JUnit XML reports of its test tasks, put where they can be read by an initialisation script of ours.

Every test task is run although Gradle may think it up to date or have it in its cache, so that no result is an old
one. Build
scripts of the project run in the same process and could undo it, or write reports of their own; a failed build
without a bad test is never silent.

Offline, Gradle needs its home (``GRADLE_USER_HOME``, else ``~/.gradle``) with the dependencies, and for ``gradlew``
with the distribution: Gradle writes locks there, so a copy-on-write view of it is what works.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.checks.findings import bounded
from windtunnel.checks.javac import compiler_findings
from windtunnel.checks.junit_xml import Report, hash_mark, read_all
from windtunnel.checks.outcomes import broken, lines
from windtunnel.core.tool import OWN, REPORT, Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, LintResult, Status

_TOOL = "gradle"
_FILE = "windtunnel.gradle"
_SCRIPT = """\
gradle.taskGraph.whenReady { graph ->
    graph.allTasks.findAll { it instanceof Test }.each { task ->
        def xml = task.reports.junitXml
        def place = new File('@REPORT@', task.path.substring(1).replace(':', '/'))
        task.outputs.upToDateWhen { false }
        if (xml.hasProperty('required')) { xml.required.set(true) } else { xml.enabled = true }
        if (xml.hasProperty('outputLocation')) { xml.outputLocation.set(place) } else { xml.destination = place }
        if (task.filter.hasProperty('failOnNoMatchingTests')) { task.filter.failOnNoMatchingTests = false }
        if (@FAST@ && task.hasProperty('failFast')) { task.failFast = true }
    }
}
"""
_BUILD_FILES = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
_TASK = re.compile(r":?(?:[\w.-]+:)*(test|check|build)")
_CLASS = re.compile(r"[\w.$]+")
_METHOD = re.compile(r"[\w$]+(?=[(\[{]|$)")
_WRONG = re.compile(r"\* What went wrong:")
_CRASHED = re.compile(r"Process 'Gradle Test Executor \d+' finished with non-zero exit value")


def detect(project: Project) -> Check | None:
    """A project with a build or settings file; its own wrapper is preferred."""
    found = next((file for file in _BUILD_FILES if project.exists(file)), None)
    if found is None:
        return None
    program = "./gradlew" if project.exists("gradlew") else "gradle"
    return Check(kind=Kind.TEST, tool=_TOOL, argv=(program, "--offline", "test"), found_in=found)


def recognise(argv: tuple[str, ...]) -> bool:
    """``gradle`` or its wrapper, with a task that runs tests."""
    program = argv[0].rpartition("/")[2] if argv else ""
    return program in {"gradle", "gradlew"} and any(_TASK.fullmatch(word) for word in argv[1:])


def prepare(check: Check, ask: Ask) -> Invocation:
    """With our script; all tasks to their end, unless the first failure should end it."""
    script = _SCRIPT.replace("@REPORT@", REPORT).replace("@FAST@", "true" if ask.fail_fast else "false")
    options = ["--init-script", f"{OWN}/{_FILE}", "--console=plain", "--no-daemon", "--no-build-cache"]
    options += [] if ask.fail_fast else ["--continue"]
    task = next((at for at, word in enumerate(check.argv) if at and re.fullmatch(r"(?:.*:)?test", word)), None)
    # Filters are options of the test task; where another task brings it in, all tests are run.
    filters = _filters(ask) if task is not None else []
    after = len(check.argv) if task is None else task + 1
    argv = (check.argv[0], *options, *check.argv[1:after], *filters, *check.argv[after:])
    return Invocation(argv=argv, files={_FILE: script.encode()})


def _filters(ask: Ask) -> list[str]:
    names = _selected(ask.select) if ask.select is not None else [ask.pattern] if ask.pattern else []
    return [word for wanted in names for word in ("--tests", wanted)]


def _selected(ids: tuple[str, ...]) -> list[str]:
    """``shop.CalcTest.adds``; a name that is no method asks for its class."""
    found: dict[str, None] = {}
    for id_ in ids:
        classname, _, test = id_.partition("#")
        match = _METHOD.match(test)
        if _CLASS.fullmatch(classname):
            found[f"{classname}.{match[0]}*" if match else classname] = None
    return list(found)


def read(output: Output, _check: Check) -> Reading:
    """A result for each test; a build that failed otherwise has one of its own."""
    said = list(lines(output.stdout + b"\n" + output.stderr))
    reports = {path: data for path, data in output.files.items() if path.endswith(".xml")}
    report = read_all(reports, tool=_TOOL, identify=hash_mark)
    findings, more = bounded(dict.fromkeys(compiler_findings(said, tool=_TOOL)))
    tests = (*report.tests, *_failure(output, report, said=said))
    idle = () if report.tests else ("no test was executed",)
    return Reading(channel=Channel.FILE, tests=tests, findings=findings, notes=(*report.notes, *idle, *more))


def _failure(output: Output, report: Report, *, said: list[str]) -> Iterator[ExecutionTestResult]:
    """What went wrong besides the tests, when anything did."""
    crashed = output.exit_code != 0 and any(_CRASHED.search(line) for line in said)
    if crashed or (output.exit_code != 0 and not any(test.status.bad for test in report.tests)):
        at = next((index for index, line in enumerate(said) if _WRONG.fullmatch(line)), 0)
        yield broken("gradle", "\n".join(said[at:]), tool=_TOOL, category="crash" if crashed else "collection")


_XML = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="shop.CalcTest" tests="3" skipped="1" failures="1" errors="0" hostname="vm" time="0.005">
  <properties/>
  <testcase name="adds" classname="shop.CalcTest" time="0.0"/>
  <testcase name="later" classname="shop.CalcTest" time="0.0">
    <skipped/>
  </testcase>
  <testcase name="isWrong" classname="shop.CalcTest" time="0.001">
    <failure message="java.lang.AssertionError: expected:&lt;4&gt; but was:&lt;3&gt;" \
type="java.lang.AssertionError">java.lang.AssertionError: expected:&lt;4&gt; but was:&lt;3&gt;
\tat shop.CalcTest.isWrong(CalcTest.java:11)
</failure>
  </testcase>
  <system-out><![CDATA[]]></system-out>
  <system-err><![CDATA[]]></system-err>
</testsuite>
"""

TOOL = Tool(
    name=_TOOL,
    kind=Kind.TEST,
    detect=detect,
    recognise=recognise,
    prepare=prepare,
    read=read,
    install="Gradle (Debian: apt install gradle), or the project's own gradlew",
    selects=True,
    examples=(
        ToolExample(
            output=Output(exit_code=1, files={"test/TEST-shop.CalcTest.xml": _XML}),
            reading=Reading(channel=Channel.FILE, tests=(
                ExecutionTestResult(id="shop.CalcTest#adds", status=Status.PASSED, tool=_TOOL),
                ExecutionTestResult(id="shop.CalcTest#later", status=Status.SKIPPED, tool=_TOOL),
                ExecutionTestResult(
                    id="shop.CalcTest#isWrong", status=Status.FAILED, duration_seconds=0.001, category="assertion",
                    message="java.lang.AssertionError: expected:<4> but was:<3>\n"
                    "\tat shop.CalcTest.isWrong(CalcTest.java:11)", tool=_TOOL),
            )),
        ),
        ToolExample(
            output=Output(exit_code=1, stderr=b"""\
/workspace/src/main/java/shop/Calc.java:4: error: cannot find symbol
    public static int add(int a, int b) { return missing; }
                                                 ^
  symbol:   variable missing
  location: class Calc
1 error

FAILURE: Build failed with an exception.

* What went wrong:
Execution failed for task ':compileJava'.
> Compilation failed; see the compiler error output for details.
"""),
            reading=Reading(
                channel=Channel.FILE,
                tests=(
                    ExecutionTestResult(
                        id="gradle", status=Status.ERROR, category="collection", tool=_TOOL,
                        message="* What went wrong:\nExecution failed for task ':compileJava'.\n"
                        "> Compilation failed; see the compiler error output for details."),
                ),
                findings=(
                    LintResult(
                        tool=_TOOL, rule="compile", path="src/main/java/shop/Calc.java", line=4, column=50,
                        message="cannot find symbol\nsymbol:   variable missing\nlocation: class Calc",
                        severity="error", category="type"),
                ),
                notes=("no test was executed",),
            ),
        ),
    ),
)
