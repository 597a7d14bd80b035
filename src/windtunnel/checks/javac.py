"""``javac`` for projects without a build tool, read from its words: it has no machine format."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from windtunnel.checks import findings
from windtunnel.checks.findings import Severity, number, relative, words
from windtunnel.checks.outcomes import lines
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

INSTALL = "a JDK (Debian: apt install default-jdk-headless)"

_CLASSES = "/tmp/classes"  # noqa: S108 -- inside the sandbox
_MOST_FILES = 2000
_BUILD_FILES = ("pom.xml", "build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "build.xml")
_FOUND = re.compile(r"([^:]{1,400}\.java):([0-9]{1,9}): (error|warning): (?:\[(\w[\w-]*)\] )?(.*)")
_DETAIL = re.compile(r"  [a-z]+: +.*")
_BELOW = 6
_SYNTAX = re.compile(
    r".* expected$|not a statement|illegal start of .*|reached end of file.*|unclosed .*|class, interface.*|"
    r"'.+' without '.+'|illegal character.*")
_BUGS = frozenset({"divzero", "fallthrough", "finally", "overflow", "static", "empty", "try", "lossy-conversions"})


def compiler_findings(said: Iterable[str], *, tool: str) -> Iterator[LintResult]:
    """What the compiler found, with the symbol and place that it names below."""
    written = list(said)
    for index, line in enumerate(written):
        match = _FOUND.fullmatch(line)
        if match is not None:
            below = written[index + 1 : index + _BELOW]
            yield _finding(match, below, tool=tool)


def _finding(match: re.Match[str], below: list[str], *, tool: str) -> LintResult:
    details = (part.strip() for part in below if _DETAIL.fullmatch(part))
    severity: Severity = "error" if match[3] == "error" else "warning"
    return LintResult(
        tool=tool, rule=match[4] or "compile", message=words("\n".join((match[5], *details))),
        path=relative(match[1]), line=number(match[2]), column=_column(below), severity=severity,
        category=category(match[5], lint=match[4] if severity == "warning" else None))


def category(said: str, *, lint: str | None) -> str:
    """Of an error by its words, of a warning by its lint."""
    if lint is not None:
        return "bug" if lint in _BUGS else "style"
    return "syntax" if _SYNTAX.fullmatch(said) else "type"


def _column(below: list[str]) -> int | None:
    return below[1].index("^") + 1 if len(below) > 1 and below[1].strip() == "^" else None


def detect(project: Project) -> Check | None:
    """Java files and no build tool that would know better how they belong together."""
    files = project.glob("**/*.java")
    if not files or len(files) > _MOST_FILES or any(project.exists(file) for file in _BUILD_FILES):
        return None
    return Check(kind=Kind.BUILD, tool="javac", argv=("javac", "-d", _CLASSES, *files), found_in=files[0])


def recognise(argv: tuple[str, ...]) -> bool:
    """``javac``."""
    return bool(argv) and argv[0].rpartition("/")[2] == "javac"


def prepare(check: Check, _ask: Ask) -> Invocation:
    """In English, and with all it finds instead of the first hundred."""
    return Invocation(argv=(
        check.argv[0], "-J-Duser.language=en", "-Xmaxerrs", "10000", "-Xmaxwarns", "10000", *check.argv[1:]))


def read(output: Output, _check: Check) -> Reading:
    """One finding for each error and warning."""
    found = compiler_findings(lines(output.stderr + b"\n" + output.stdout), tool="javac")
    return findings.read(output, found, channel=Channel.TEXT)


TOOL = Tool(
    name="javac",
    kind=Kind.BUILD,
    detect=detect,
    recognise=recognise,
    prepare=prepare,
    read=read,
    install=INSTALL,
    examples=(
        ToolExample(
            output=Output(exit_code=1, stderr=b"""\
src/main/java/shop/Calc.java:4: warning: [rawtypes] found raw type: List
    public @Deprecated static java.util.List add(int a, int b) { return "x" + missing; }
                                       ^
  missing type arguments for generic class List<E>
  where E is a type-variable:
    E extends Object declared in interface List
src/main/java/shop/Calc.java:4: error: cannot find symbol
    public @Deprecated static java.util.List add(int a, int b) { return "x" + missing; }
                                                                              ^
  symbol:   variable missing
  location: class Calc
1 error
1 warning
"""),
            reading=Reading(channel=Channel.TEXT, findings=(
                LintResult(
                    tool="javac", rule="rawtypes", message="found raw type: List", path="src/main/java/shop/Calc.java",
                    line=4, column=40, severity="warning", category="style"),
                LintResult(
                    tool="javac", rule="compile", path="src/main/java/shop/Calc.java", line=4, column=79,
                    message="cannot find symbol\nsymbol:   variable missing\nlocation: class Calc", severity="error",
                    category="type"),
            )),
        ),
        ToolExample(
            output=Output(exit_code=1, stderr=b"""\
Syn.java:2: error: not a statement
    void f() { int = 3 }
               ^
Syn.java:2: error: ';' expected
    void f() { int = 3 }
                  ^
2 errors
"""),
            reading=Reading(channel=Channel.TEXT, findings=(
                LintResult(
                    tool="javac", rule="compile", message="not a statement", path="Syn.java", line=2, column=16,
                    severity="error", category="syntax"),
                LintResult(
                    tool="javac", rule="compile", message="';' expected", path="Syn.java", line=2, column=19,
                    severity="error", category="syntax"),
            )),
        ),
        ToolExample(
            output=Output(exit_code=0, stderr=b"""\
Note: Raw.java uses unchecked or unsafe operations.
Note: Recompile with -Xlint:unchecked for details.
"""),
            reading=Reading(channel=Channel.TEXT),
        ),
    ),
)
