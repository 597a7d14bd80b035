"""ruff: reads source without running it, so what it prints cannot have been written by the project's code."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.checks import settings, words
from windtunnel.checks.families import judged
from windtunnel.checks.findings import below, number, objects, parsed, read, relative
from windtunnel.checks.findings import words as text
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult


def detect(project: Project) -> Check | None:
    """A file of its own, or its table in ``pyproject.toml``."""
    named = next((name for name in ("ruff.toml", ".ruff.toml") if project.exists(name)), None)
    if named is None and settings.table(project, "pyproject.toml", "tool", "ruff") is not None:
        named = "pyproject.toml"
    return Check(kind=Kind.LINT, tool="ruff", argv=("ruff", "check"), found_in=named) if named else None


def recognise(argv: tuple[str, ...]) -> bool:
    """``ruff check``; ``ruff format`` prints no findings."""
    return words.started(argv)[:2] == ("ruff", "check")


def prepare(check: Check, _ask: Ask) -> Invocation:
    """As JSON; without a cache, which a change could bring along."""
    argv = words.with_option(check.argv, "--output-format", "json")
    return Invocation(argv=words.with_flags(argv, *(() if "-n" in argv else ("--no-cache",))))


def read_output(output: Output, _check: Check) -> Reading:
    """One JSON array."""
    document = parsed(output.stdout)
    return read(output, _findings(document) if isinstance(document, list) else None)


def _findings(document: object) -> Iterator[LintResult]:
    for item in objects(document):
        rule = text(item.get("code"), most=80) or "invalid-syntax"
        category, severity = judged(rule)
        yield LintResult(
            tool="ruff", rule=rule, message=text(item.get("message")), path=relative(item.get("filename")),
            line=number(below(item, "location", "row")), column=number(below(item, "location", "column")),
            severity=severity, category=category)


_EXAMPLE = b"""[
  {"cell": null, "code": "F401", "end_location": {"column": 10, "row": 1}, "filename": "/workspace/pkg/a.py",
   "fix": {"applicability": "safe", "edits": [], "message": "Remove unused import: `os`"},
   "location": {"column": 8, "row": 1}, "message": "`os` imported but unused", "name": "unused-import",
   "noqa_row": 1, "severity": "error", "url": "https://docs.astral.sh/ruff/rules/unused-import"},
  {"cell": null, "code": "S110", "end_location": {"column": 13, "row": 11}, "filename": "/workspace/pkg/a.py",
   "fix": null, "location": {"column": 5, "row": 10}, "noqa_row": 10, "severity": "error",
   "message": "`try`-`except`-`pass` detected, consider logging the exception", "name": "try-except-pass",
   "url": "https://docs.astral.sh/ruff/rules/try-except-pass"},
  {"cell": null, "code": "invalid-syntax", "end_location": {"column": 1, "row": 2},
   "filename": "/workspace/pkg/bad.py", "fix": null, "location": {"column": 8, "row": 1},
   "message": "Expected `)`, found newline", "name": "invalid-syntax", "noqa_row": null, "severity": "error",
   "url": null}
]"""

TOOL = Tool(
    name="ruff", kind=Kind.LINT, detect=detect, recognise=recognise, prepare=prepare, read=read_output,
    install="pip install ruff",
    examples=(
        ToolExample(output=Output(exit_code=1, stdout=_EXAMPLE), reading=Reading(channel=Channel.STREAM, findings=(
            LintResult(tool="ruff", rule="F401", message="`os` imported but unused", path="pkg/a.py", line=1, column=8),
            LintResult(
                tool="ruff", rule="S110", message="`try`-`except`-`pass` detected, consider logging the exception",
                path="pkg/a.py", line=10, column=5, category="security"),
            LintResult(
                tool="ruff", rule="invalid-syntax", message="Expected `)`, found newline", path="pkg/bad.py", line=1,
                column=8, severity="error", category="syntax"),
        ))),
        ToolExample(output=Output(exit_code=0, stdout=b"[]"), reading=Reading(channel=Channel.STREAM)),
        ToolExample(
            output=Output(exit_code=2, stderr=(
                b"ruff failed\n  Cause: Failed to parse /workspace/ruff.toml\n"
                b"  Cause: TOML parse error at line 1, column 6\n"
                b"  |\n1 | x = [\n  |      ^\nunclosed array, expected `]`\n\n")),
            reading=Reading(channel=Channel.EXIT_CODE, notes=(
                "could not be read (exit code 2): unclosed array, expected `]`",))),
    ),
)
