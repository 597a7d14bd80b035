"""``go build``: does every package compile. Read from the compiler's words.

The network is off and the toolchain is the one that is there. Modules come from the host's module cache, useful
read-only inside (``go env GOMODCACHE`` names it); the build cache is private to the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from windtunnel.checks import findings
from windtunnel.checks.findings import number, relative
from windtunnel.checks.outcomes import lines, message
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

GO_ENVIRONMENT = {"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOCACHE": "/tmp/go-build"}  # noqa: S108 -- inside
INSTALL = "Go from go.dev or the package manager (Debian: apt install golang-go)"

_ERROR = re.compile(r"(?:vet: )?([^\s:][^:]{0,400}\.go):([0-9]{1,9})(?::([0-9]{1,9}))?: (.+)")


def runs_go(argv: tuple[str, ...], command: str) -> bool:
    """Whether a command line is ``go`` with one of its commands."""
    return len(argv) > 1 and argv[0].rpartition("/")[2] == "go" and argv[1] == command


def go_check(project: Project, kind: Kind, *, command: str) -> Check | None:
    """``go <command> ./...`` for a project that is a module with Go files."""
    if not project.exists("go.mod") or not project.glob("**/*.go"):
        return None
    return Check(kind=kind, tool=f"go {command}", argv=("go", command, "./..."), found_in="go.mod")


def compile_errors(said: Iterable[str], *, tool: str) -> tuple[LintResult, ...]:
    """What the compiler refused; a line that starts with a tab goes on with the one above."""
    found: list[tuple[re.Match[str], list[str]]] = []
    for line in said:
        match = _ERROR.fullmatch(line)
        if match is not None and len(found) < findings.MOST_FINDINGS:
            found.append((match, [match[4]]))
        elif found and line.startswith("\t"):
            found[-1][1].append(line.strip())
    return tuple(dict.fromkeys(_finding(match, words, tool) for match, words in found))


def _finding(match: re.Match[str], words: list[str], tool: str) -> LintResult:
    text = message("\n".join(words))
    syntax = text.startswith(("syntax error", "expected "))
    return LintResult(
        tool=tool, rule="compile", message=text, path=relative(match[1]), line=number(match[2]),
        column=number(match[3]), severity="error", category="syntax" if syntax else "type")


def detect(project: Project) -> Check | None:
    """Every module is built."""
    return go_check(project, Kind.BUILD, command="build")


def recognise(argv: tuple[str, ...]) -> bool:
    """``go build`` or ``go install``."""
    return runs_go(argv, "build") or runs_go(argv, "install")


def prepare(check: Check, _ask: Ask) -> Invocation:
    """As it was given; Go has no machine format for this that every version knows."""
    return Invocation(argv=check.argv, env=GO_ENVIRONMENT)


def read(output: Output, _check: Check) -> Reading:
    """One finding for each line that names a place."""
    found = compile_errors(lines(output.stderr + b"\n" + output.stdout), tool="go build")
    return findings.read(output, found, channel=Channel.TEXT, usual=(0, 1, 2))


TOOL = Tool(
    name="go build",
    kind=Kind.BUILD,
    detect=detect,
    recognise=recognise,
    prepare=prepare,
    read=read,
    install=INSTALL,
    examples=(
        ToolExample(
            output=Output(exit_code=2, stderr=b"""\
# example.com/shop/calc
calc/syn.go:3:14: syntax error: unexpected {, expecting )
"""),
            reading=Reading(channel=Channel.TEXT, findings=(
                LintResult(
                    tool="go build", rule="compile", message="syntax error: unexpected {, expecting )",
                    path="calc/syn.go", line=3, column=14, severity="error", category="syntax"),
            )),
        ),
        ToolExample(
            output=Output(exit_code=1, stderr=b"""\
empty/e.go:3:8: no required module provides package example.com/nowhere/x; to add it:
\tgo get example.com/nowhere/x
"""),
            reading=Reading(channel=Channel.TEXT, findings=(
                LintResult(
                    tool="go build", rule="compile", path="empty/e.go", line=3, column=8, severity="error",
                    category="type", message="no required module provides package example.com/nowhere/x; to add it:\n"
                    "go get example.com/nowhere/x"),
            )),
        ),
        ToolExample(output=Output(exit_code=0), reading=Reading(channel=Channel.TEXT)),
    ),
)
