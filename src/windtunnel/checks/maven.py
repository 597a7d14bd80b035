"""Maven: the JUnit XML reports of surefire and failsafe, and the compiler's errors from Maven's words.

Surefire cannot be told where to put its reports, so those that are newer than the start of the run are copied when
Maven has ended; old ones of the project are left alone. A test could write such a file itself: what Maven says it
counted is held against them, and a failed build without a bad test is never silent.

Offline, Maven needs its local repository: ``~/.m2/repository``, or what ``-Dmaven.repo.local`` names, is useful
read-only inside.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from windtunnel.checks import javac
from windtunnel.checks.findings import Severity, bounded, number, relative, words
from windtunnel.checks.junit_xml import Report, hash_mark, read_all
from windtunnel.checks.outcomes import broken, lines
from windtunnel.core.tool import REPORT, Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, ExecutionTestResult, Kind, LintResult, Status

_TOOL = "maven"
_SCRIPT = f"""\
start=$(mktemp) || exit 125
"$@"
code=$?
find . -type f \\( -path '*/surefire-reports/TEST-*.xml' -o -path '*/failsafe-reports/TEST-*.xml' \\) \
-newer "$start" -exec cp --parents '{{}}' {REPORT}/ ';'
exit $code
"""
_COMPILER = re.compile(r"\[(ERROR|WARNING)\] (/[^:]{1,400}\.\w{1,10}):\[([0-9]{1,9}),([0-9]{1,9})\] (?:error: )?(.*)")
_DETAIL = re.compile(r"(?:\[ERROR\] )?  [a-z]+: +.*")
_TOTALS = re.compile(r"\[\w+\] Tests run: (\d{1,9}), Failures: (\d{1,9}), Errors: (\d{1,9}), Skipped: \d{1,9}")
_CRASHED = ("The forked VM terminated", "There was an error in the forked process", "ExecutionException The forked VM")
_CLASS = re.compile(r"[\w.$]+")
_METHOD = re.compile(r"[\w$]+(?=[(\[{]|$)")


def detect(project: Project) -> Check | None:
    """A project with a ``pom.xml``."""
    if not project.exists("pom.xml"):
        return None
    return Check(kind=Kind.TEST, tool=_TOOL, argv=("mvn", "-B", "-o", "test"), found_in="pom.xml")


def recognise(argv: tuple[str, ...]) -> bool:
    """``mvn`` or its wrapper, with a goal that runs tests."""
    program = argv[0].rpartition("/")[2] if argv else ""
    return program in {"mvn", "mvnw"} and bool({"test", "package", "verify", "install"} & set(argv))


def prepare(check: Check, ask: Ask) -> Invocation:
    """All modules to their end, unless the first failure should end it; reports are copied afterwards."""
    added = ["-ff", "-Dsurefire.skipAfterFailureCount=1"] if ask.fail_fast else ["-fae"]
    wanted = ask.pattern if ask.select is None else _selected(ask.select)
    if wanted:
        # The first name is that of surefire 2, the second that of surefire 3: a module may have none of them.
        added += [f"-Dtest={wanted}", "-DfailIfNoTests=false", "-Dsurefire.failIfNoSpecifiedTests=false"]
    return Invocation(argv=("sh", "-c", _SCRIPT, "sh", *check.argv, *added))


def _selected(ids: tuple[str, ...]) -> str:
    """``shop.CalcTest#adds+divides,shop.CartTest``; a name that is no method asks for its class."""
    methods: dict[str, list[str]] = {}
    for id_ in ids:
        classname, _, test = id_.partition("#")
        if _CLASS.fullmatch(classname):
            match = _METHOD.match(test)
            methods.setdefault(classname, []).append(match[0] if match else "*")
    return ",".join(
        classname if "*" in names else f"{classname}#{'+'.join(dict.fromkeys(names))}"
        for classname, names in methods.items())


def read(output: Output, _check: Check) -> Reading:
    """A result for each test; a build that failed otherwise has one of its own."""
    said = list(lines(output.stdout + b"\n" + output.stderr))
    reports = {path: data for path, data in output.files.items() if path.endswith(".xml")}
    report = read_all(reports, tool=_TOOL, identify=hash_mark)
    findings, more = bounded(dict.fromkeys(_findings(said)))
    tests = (*report.tests, *_failure(output, report, said=said))
    return Reading(
        channel=Channel.FILE, tests=tests, findings=findings, notes=(*report.notes, *_notes(report, said), *more))


def _findings(said: list[str]) -> Iterator[LintResult]:
    for index, line in enumerate(said):
        match = _COMPILER.fullmatch(line)
        if match is not None:
            details = _details(said[index + 1 : index + 4])
            severity: Severity = "error" if match[1] == "ERROR" else "warning"
            yield LintResult(
                tool=_TOOL, rule="compile", message=words("\n".join((match[5], *details))), path=relative(match[2]),
                line=number(match[3]), column=number(match[4]), severity=severity,
                category=javac.category(match[5], lint=None if severity == "error" else ""))


def _details(below: Iterable[str]) -> Iterator[str]:
    for line in below:
        if not _DETAIL.fullmatch(line):
            return
        yield line.removeprefix("[ERROR]").strip()


def _failure(output: Output, report: Report, *, said: list[str]) -> Iterator[ExecutionTestResult]:
    """What went wrong besides the tests, when anything did."""
    crashed = output.exit_code != 0 and any(words_ in line for line in said for words_ in _CRASHED)
    if crashed or (output.exit_code != 0 and not any(test.status.bad for test in report.tests)):
        errors = [line.removeprefix("[ERROR] ") for line in said if line.startswith("[ERROR] ")]
        yield broken("mvn", "\n".join(errors), tool=_TOOL, category="crash" if crashed else "collection")


def _notes(report: Report, said: list[str]) -> Iterator[str]:
    totals = [match for match in map(_TOTALS.fullmatch, said) if match is not None]
    ran = sum(int(match[1]) for match in totals)
    failed = sum(int(match[2]) + int(match[3]) for match in totals)
    bad = sum(test.status.bad for test in report.tests)
    if ran != report.count:
        yield f"Maven counted {ran} tests, its reports have {report.count}"
    if (failed > 0) != (bad > 0):
        yield f"Maven counted {failed} failures, its reports have {bad}"
    if not report.tests:
        yield "no test was executed"


_XML = b"""\
<?xml version="1.0" encoding="UTF-8"?>
<testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" name="shop.CalcTest" time="0.067" tests="4"\
 errors="1" skipped="1" failures="1">
  <properties/>
  <testcase name="breaks" classname="shop.CalcTest" time="0.007">
    <error message="no &lt;shop&gt;" type="java.lang.IllegalStateException"><![CDATA[java.lang.IllegalStateException: \
no <shop>
\tat shop.CalcTest.breaks(CalcTest.java:13)
]]></error>
  </testcase>
  <testcase name="adds" classname="shop.CalcTest" time="0.001"/>
  <testcase name="later" classname="shop.CalcTest" time="0">
    <skipped message="not on Sundays"/>
  </testcase>
  <testcase name="isWrong" classname="shop.CalcTest" time="0.001">
    <failure message="expected:&lt;4&gt; but was:&lt;3&gt;" type="java.lang.AssertionError"><![CDATA[\
java.lang.AssertionError: expected:<4> but was:<3>
\tat shop.CalcTest.isWrong(CalcTest.java:11)
]]></failure>
  </testcase>
</testsuite>
"""

TOOL = Tool(
    name=_TOOL,
    kind=Kind.TEST,
    detect=detect,
    recognise=recognise,
    prepare=prepare,
    read=read,
    install="Maven (Debian: apt install maven)",
    selects=True,
    examples=(
        ToolExample(
            output=Output(
                exit_code=1, stdout=b"[ERROR] Tests run: 4, Failures: 1, Errors: 1, Skipped: 1\n",
                files={"target/surefire-reports/TEST-shop.CalcTest.xml": _XML}),
            reading=Reading(channel=Channel.FILE, tests=(
                ExecutionTestResult(
                    id="shop.CalcTest#breaks", status=Status.ERROR, duration_seconds=0.007, category="exception",
                    message="java.lang.IllegalStateException: no <shop>\n\tat shop.CalcTest.breaks(CalcTest.java:13)",
                    tool=_TOOL),
                ExecutionTestResult(
                    id="shop.CalcTest#adds", status=Status.PASSED, duration_seconds=0.001, tool=_TOOL),
                ExecutionTestResult(
                    id="shop.CalcTest#later", status=Status.SKIPPED, message="not on Sundays", tool=_TOOL),
                ExecutionTestResult(
                    id="shop.CalcTest#isWrong", status=Status.FAILED, duration_seconds=0.001, category="assertion",
                    message="java.lang.AssertionError: expected:<4> but was:<3>\n"
                    "\tat shop.CalcTest.isWrong(CalcTest.java:11)", tool=_TOOL),
            )),
        ),
        ToolExample(
            output=Output(exit_code=1, stdout=b"""\
[INFO] -------------------------------------------------------------
[ERROR] COMPILATION ERROR :\x20
[INFO] -------------------------------------------------------------
[ERROR] /workspace/src/main/java/shop/Calc.java:[4,79] cannot find symbol
  symbol:   variable missing
  location: class shop.Calc
[INFO] 1 error
[ERROR] Failed to execute goal (default-compile) on project shop: Compilation failure
[ERROR] /workspace/src/main/java/shop/Calc.java:[4,79] cannot find symbol
[ERROR]   symbol:   variable missing
[ERROR]   location: class shop.Calc
[ERROR] -> [Help 1]
"""),
            reading=Reading(
                channel=Channel.FILE,
                tests=(
                    ExecutionTestResult(
                        id="mvn", status=Status.ERROR, category="collection", tool=_TOOL,
                        message="COMPILATION ERROR :\n"
                        "/workspace/src/main/java/shop/Calc.java:[4,79] cannot find symbol\n"
                        "Failed to execute goal (default-compile) on project shop: Compilation failure\n"
                        "/workspace/src/main/java/shop/Calc.java:[4,79] cannot find symbol\n"
                        "  symbol:   variable missing\n  location: class shop.Calc\n-> [Help 1]"),
                ),
                findings=(
                    LintResult(
                        tool=_TOOL, rule="compile", path="src/main/java/shop/Calc.java", line=4, column=79,
                        message="cannot find symbol\nsymbol:   variable missing\nlocation: class shop.Calc",
                        severity="error", category="type"),
                ),
                notes=("no test was executed",),
            ),
        ),
    ),
)
