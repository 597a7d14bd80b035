"""mypy. Its plug-ins are code of the project, and could print what they like.

Versions from 1.11 speak JSON, older ones refuse the option. ``modern`` adds it where the installed version is known
to have it; for any other the text of old and new versions alike is read.
"""

from __future__ import annotations

import re
from pathlib import Path

from windtunnel.checks import settings, words
from windtunnel.checks.findings import decoded, from_zero, number, parsed, read, relative
from windtunnel.checks.findings import words as text
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

_CACHE = "/tmp/windtunnel-mypy"  # noqa: S108 -- inside the sandbox
_JSON_SINCE = (1, 11)
_LINE = re.compile(r"(?P<path>[^\n:]+):(?:(?P<line>\d{1,9}):)?(?:(?P<column>\d{1,9}):)? error: (?P<words>.*)")
_CODE = re.compile(r"(?P<message>.*\S)\s+\[(?P<code>[a-z][a-z0-9-]*)\]$")
_OPTIONS = (
    "--show-column-numbers", "--show-error-codes", "--hide-error-context", "--no-error-summary", "--no-pretty",
    "--no-color-output",
)  # fmt: skip
_CHOOSES = re.compile(r"^(files|packages|modules)\s*=", re.MULTILINE)


def detect(project: Project) -> Check | None:
    """A file of its own, or its part of ``pyproject.toml`` or ``setup.cfg``."""
    for name in ("mypy.ini", ".mypy.ini", "setup.cfg"):
        lines = settings.section(project, name, "mypy")
        if lines is not None:
            return _check(project, name, chosen=bool(_CHOOSES.search(lines)))
    table = settings.table(project, "pyproject.toml", "tool", "mypy")
    if not isinstance(table, dict):
        return None
    return _check(project, "pyproject.toml", chosen=not {"files", "packages", "modules"}.isdisjoint(table))


def recognise(argv: tuple[str, ...]) -> bool:
    """``mypy``, in any environment."""
    return words.started(argv)[:1] == ("mypy",)


def modern(project: Project, argv: tuple[str, ...]) -> tuple[str, ...]:
    """The command with JSON output, where the installed version is known to have it."""
    found = project.which("mypy")
    return words.with_option(argv, "--output", "json", short="-O") if found and _version(found) >= _JSON_SINCE else argv


def prepare(check: Check, _ask: Ask) -> Invocation:
    """One line for each finding; without the project's cache, which a change could bring along."""
    argv = words.with_option(check.argv, "--cache-dir", _CACHE)
    return Invocation(argv=words.with_flags(argv, *_OPTIONS))


def read_output(output: Output, _check: Check) -> Reading:
    """Lines of JSON, or of text; the exit code 2 also stands for a syntax error, which is a finding."""
    lines = decoded(output.stdout).splitlines()
    machine = any(line.startswith("{") for line in lines)
    found = list(filter(None, (_from_json(line) if machine else _from_text(line) for line in lines)))
    usual = (0, 1, 2) if any(finding.category == "syntax" for finding in found) else (0, 1)
    spoken = machine or "--output=json" in _check.argv
    return read(output, found, channel=Channel.STREAM if spoken else Channel.TEXT, usual=usual)


def _check(project: Project, named: str, *, chosen: bool) -> Check:
    argv = ("mypy",) if chosen else ("mypy", *settings.targets(project))
    return Check(kind=Kind.LINT, tool="mypy", argv=modern(project, argv), found_in=named)


def _version(program: str) -> tuple[int, ...]:
    """As the environment beside the program says; nothing when it says nothing."""
    environment = Path(program).parent.parent
    known = sorted(environment.glob("lib/python3*/site-packages/mypy-*.dist-info"))
    return tuple(int(part) for part in re.findall(r"\d{1,6}", known[0].name)[:2]) if known else ()


def _from_json(line: str) -> LintResult | None:
    item = parsed(line)
    if not isinstance(item, dict) or item.get("severity") != "error":
        return None
    return _finding(item.get("code"), item.get("message"), path=item.get("file"), line=number(item.get("line")),
                    column=from_zero(item.get("column")))


def _from_text(line: str) -> LintResult | None:
    found = _LINE.fullmatch(line[:4000])
    if found is None:
        return None
    coded = _CODE.fullmatch(found["words"])
    message, code = (coded["message"], coded["code"]) if coded else (found["words"], "misc")
    return _finding(code, message, path=found["path"], line=number(found["line"]), column=number(found["column"]))


def _finding(
    code: object, message: object, *, path: object, line: int | None, column: int | None,
) -> LintResult:
    rule = text(code, most=80) or "misc"
    return LintResult(
        tool="mypy", rule=rule, message=text(message), path=relative(path), line=line, column=column,
        severity="error", category="syntax" if rule == "syntax" else "type")


_RETURN = LintResult(
    tool="mypy", rule="return-value", message='Incompatible return value type (got "str", expected "int")',
    path="pkg/a.py", line=5, column=12, severity="error", category="type")
_JSON = (
    rb'{"file": "pkg/a.py", "line": 5, "column": 11, "end_line": 5, "end_column": 21, "message": "Incompatible return'
    rb' value type (got \"str\", expected \"int\")", "hint": null, "code": "return-value", "severity": "error"}' b"\n"
)
_TEXT = b'pkg/a.py:5:12: error: Incompatible return value type (got "str", expected "int")  [return-value]\n'

TOOL = Tool(
    name="mypy", kind=Kind.LINT, detect=detect, recognise=recognise, prepare=prepare, read=read_output,
    install="pip install mypy",
    examples=(
        ToolExample(output=Output(exit_code=1, stdout=_JSON),
                    reading=Reading(channel=Channel.STREAM, findings=(_RETURN,))),
        ToolExample(output=Output(exit_code=1, stdout=_TEXT + b"pkg/a.py:6:1: note: Perhaps you meant something\n"),
                    reading=Reading(channel=Channel.TEXT, findings=(_RETURN,))),
        ToolExample(
            output=Output(exit_code=2, stdout=b"pkg/bad.py:1:8: error: invalid syntax  [syntax]\n"),
            reading=Reading(channel=Channel.TEXT, findings=(LintResult(
                tool="mypy", rule="syntax", message="invalid syntax", path="pkg/bad.py", line=1, column=8,
                severity="error", category="syntax"),))),
        ToolExample(
            output=Output(exit_code=2, stderr=b"usage: mypy [-h]\nmypy: error: unrecognized arguments: --bad\n"),
            reading=Reading(channel=Channel.EXIT_CODE, notes=(
                "could not be read (exit code 2): mypy: error: unrecognized arguments: --bad",))),
    ),
)
