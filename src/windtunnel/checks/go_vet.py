"""``go vet``, in its JSON: a comment with the package, then an object, for each package.

Older versions write it to standard error, newer ones to standard output; both are read. With ``-json`` the exit code
is 0 whatever was found, so only the findings count. Code under test is not run, but cgo and ``-vettool`` are its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from windtunnel.checks import findings
from windtunnel.checks.findings import number, relative
from windtunnel.checks.go_build import GO_ENVIRONMENT, INSTALL, compile_errors, go_check, runs_go
from windtunnel.checks.outcomes import lines, message, name, text
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

_PLACE = re.compile(r"(.+?):([0-9]{1,9})(?::([0-9]{1,9}))?")


def detect(project: Project) -> Check | None:
    """Every module: vet comes with Go."""
    return go_check(project, Kind.LINT, command="vet")


def recognise(argv: tuple[str, ...]) -> bool:
    """``go vet``."""
    return runs_go(argv, "vet")


def prepare(check: Check, _ask: Ask) -> Invocation:
    """With ``-json``."""
    asked = {"-json", "--json"} & set(check.argv)
    argv = check.argv if asked else (*check.argv[:2], "-json", *check.argv[2:])
    return Invocation(argv=argv, env=GO_ENVIRONMENT)


def read(output: Output, _check: Check) -> Reading:
    """Findings of the analysers, and what did not compile."""
    said = list(lines(output.stdout + b"\n" + output.stderr))
    found = [finding for package in _objects("\n".join(said)) for finding in _findings(package)]
    refused = compile_errors((line for line in said if line.startswith("vet: ")), tool="go vet")
    refused = refused or (compile_errors(said, tool="go vet") if output.exit_code != 0 else ())
    return findings.read(output, (*dict.fromkeys(found), *refused), usual=(0, 1, 2))


def _objects(said: str) -> Iterator[dict[str, Any]]:
    """Each object that begins at the start of a line; what cannot be read is passed over."""
    decoder = json.JSONDecoder()
    at = 0
    for start in re.finditer(r"^\{", said, re.MULTILINE):
        if start.start() < at:
            continue
        try:
            found, at = decoder.raw_decode(said, start.start())
        except (ValueError, RecursionError):
            # A broken object would be tried again from each of its lines: quadratic on purpose-made input.
            return
        if isinstance(found, dict):
            yield found


def _findings(found: dict[str, Any]) -> Iterator[LintResult]:
    for package in found.values():
        for analyser, entries in package.items() if isinstance(package, dict) else ():
            for entry in entries if isinstance(entries, list) else ():
                if isinstance(entry, dict):
                    yield _finding(analyser, entry)


def _finding(analyser: str, entry: dict[str, Any]) -> LintResult:
    place = _PLACE.fullmatch(text(entry.get("posn"))[:1000])
    return LintResult(
        tool="go vet", rule=name(analyser), message=message(text(entry.get("message"))),
        path=relative(place[1]) if place else None, line=number(place[2]) if place else None,
        column=number(place[3]) if place else None, severity="warning", category="bug")


TOOL = Tool(
    name="go vet",
    kind=Kind.LINT,
    detect=detect,
    recognise=recognise,
    prepare=prepare,
    read=read,
    install=INSTALL,
    examples=(
        ToolExample(
            output=Output(exit_code=0, stderr=b"""\
# example.com/shop/empty
{}
# example.com/shop/calc
{
	"example.com/shop/calc": {
		"printf": [
			{
				"posn": "/workspace/calc/vet.go:6:2",
				"message": "fmt.Printf format %d has arg \\"x\\" of wrong type string"
			}
		]
	}
}
# example.com/shop/panics
{}
"""),
            reading=Reading(channel=Channel.STREAM, findings=(
                LintResult(
                    tool="go vet", rule="printf", message='fmt.Printf format %d has arg "x" of wrong type string',
                    path="calc/vet.go", line=6, column=2, severity="warning", category="bug"),
            )),
        ),
        ToolExample(
            output=Output(exit_code=2, stderr=b"""\
# example.com/shop/empty
{}
# example.com/shop/bad
vet: bad/bad_test.go:6:14: cannot use "x" (untyped string constant) as int value in variable declaration
"""),
            reading=Reading(channel=Channel.STREAM, findings=(
                LintResult(
                    tool="go vet", rule="compile", path="bad/bad_test.go", line=6, column=14, severity="error",
                    category="type",
                    message='cannot use "x" (untyped string constant) as int value in variable declaration'),
            )),
        ),
        ToolExample(
            output=Output(exit_code=0, stderr=b"# example.com/shop/empty\n{}\n"),
            reading=Reading(channel=Channel.STREAM)),
    ),
)
