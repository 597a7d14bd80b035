"""The TypeScript compiler as a checker of types, read from its one-line messages: it has no machine format."""

from __future__ import annotations

import re
from collections.abc import Iterator

from windtunnel.checks import findings
from windtunnel.checks.node_command import program_at, split_environment, without
from windtunnel.checks.package_json import NAME, manifest
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

_SCRIPTS = ("typecheck", "type-check", "check-types", "check:types", "types", "tsc", "lint:types")
_BUILDING = ("-b", "--build")
_LINE = re.compile(
    r"(?:(?P<path>[^\s(][^(\n]{0,400})\((?P<line>\d{1,9}),(?P<column>\d{1,9})\): )?"
    r"(?P<severity>error|warning) (?P<rule>TS\d{1,6}): (?P<message>.*)")
_SYNTAX = re.compile(r"TS1\d{3}$")
_USUAL = (0, 1, 2)


def detect(project: Project) -> Check | None:
    """The script that checks types, or the compiler where it is a dependency and the project has a tsconfig.json."""
    found = manifest(project)
    if found is None:
        return None
    for name in _SCRIPTS:
        command = found.resolved(name)
        if command is not None and recognise(command):
            return Check(kind=Kind.LINT, tool="typescript", argv=command, found_in=NAME)
    if "typescript" not in found.dependencies or not project.exists("tsconfig.json"):
        return None
    return Check(kind=Kind.LINT, tool="typescript", argv=("tsc", "--noEmit"), found_in="tsconfig.json")


def recognise(argv: tuple[str, ...]) -> bool:
    """``tsc``, by whatever starts it."""
    return program_at(argv, ("tsc",)) is not None


def prepare(check: Check, _ask: Ask) -> Invocation:
    """Plain messages, once, and nothing written but by a build of several projects, which needs its own output."""
    env, argv = split_environment(check.argv)
    at = program_at(argv, ("tsc",)) or 0
    given = without(argv[at + 1 :], flags=("--watch", "-w", "--noEmit", "--incremental"), valued=("--pretty",))
    building = bool(set(_BUILDING) & set(given))
    head = tuple(word for word in given[:1] if word in _BUILDING)  # The compiler wants it to stand first.
    words = (*head, "--pretty", "false", *(() if building else ("--noEmit",)))
    return Invocation(argv=(*argv[: at + 1], *words, *given[len(head) :]), env=env)


def read(output: Output, _check: Check) -> Reading:
    """Findings, one for each first line; what is indented below belongs to it."""
    return findings.read(output, _findings(findings.decoded(output.stdout)), channel=Channel.TEXT, usual=_USUAL)


def _findings(text: str) -> Iterator[LintResult]:
    said: re.Match[str] | None = None
    more: list[str] = []
    for line in text.splitlines():
        found = _LINE.fullmatch(line[:4000])
        if found is None and said is not None and line.startswith("  "):
            more.append(line)
            continue
        if said is not None:
            yield _finding(said, more)
        said, more = found, []
    if said is not None:
        yield _finding(said, more)


def _finding(said: re.Match[str], more: list[str]) -> LintResult:
    return LintResult(
        tool="typescript", rule=said["rule"], message=findings.words("\n".join((said["message"], *more[:20]))),
        path=findings.relative(said["path"]), line=findings.number(said["line"]),
        column=findings.number(said["column"]), severity="error" if said["severity"] == "error" else "warning",
        category="syntax" if _SYNTAX.match(said["rule"]) else "type",
    )  # fmt: skip


TOOL = Tool(
    name="typescript", kind=Kind.LINT, detect=detect, recognise=recognise, prepare=prepare, read=read,
    install="npm install --save-dev typescript",
    examples=(
        ToolExample(
            output=Output(exit_code=2, stdout=(
                b"src/a.ts(2,7): error TS2322: Type '{ b: string; }' is not assignable to type '{ b: number; }'.\n"
                b"  Types of property 'b' are incompatible.\n"
                b"src/b.ts(1,9): error TS1109: Expression expected.\n")),
            reading=Reading(channel=Channel.TEXT, findings=(
                LintResult(tool="typescript", rule="TS2322", path="src/a.ts", line=2, column=7, severity="error",
                           category="type", message="Type '{ b: string; }' is not assignable to type '{ b: number; }'."
                                                    "\n  Types of property 'b' are incompatible."),
                LintResult(tool="typescript", rule="TS1109", path="src/b.ts", line=1, column=9, severity="error",
                           category="syntax", message="Expression expected."),
            ))),
        ToolExample(
            output=Output(exit_code=1, stdout=b"error TS5023: Unknown compiler option '--nonsense'.\n"),
            reading=Reading(channel=Channel.TEXT, findings=(
                LintResult(tool="typescript", rule="TS5023", severity="error", category="type",
                           message="Unknown compiler option '--nonsense'."),
            ))),
        ToolExample(
            output=Output(exit_code=134, stderr=b"FATAL ERROR: Reached heap limit Allocation failed\n"),
            reading=Reading(channel=Channel.EXIT_CODE, notes=(
                "could not be read (exit code 134): FATAL ERROR: Reached heap limit Allocation failed",))),
    ),
)
