"""pylint. Its plug-ins and ``init-hook`` are code of the project, and could print what they like."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from windtunnel.checks import settings, words
from windtunnel.checks.findings import Severity, from_zero, number, objects, parsed, read, relative
from windtunnel.checks.findings import words as text
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

_SEVERITY: Mapping[str, Severity] = {"fatal": "error", "error": "error", "info": "note"}
_CATEGORY = {
    "syntax-error": "syntax", "exec-used": "security", "eval-used": "security",
    "subprocess-run-check": "bug", "no-member": "type", "not-callable": "type",
}  # fmt: skip
_STYLISH = frozenset({
    "unused-import", "unused-argument", "unused-variable", "fixme", "unnecessary-pass", "wildcard-import",
})  # fmt: skip
_USUAL = range(32)
"""The exit code has one bit for each kind of finding; 32 is a wrong call."""


def detect(project: Project) -> Check | None:
    """A file of its own, or its part of ``pyproject.toml``, ``setup.cfg`` or ``tox.ini``."""
    named = next((name for name in (".pylintrc", "pylintrc", ".pylintrc.toml", "pylintrc.toml")
                  if project.exists(name)), None)
    if named is None and settings.table(project, "pyproject.toml", "tool", "pylint") is not None:
        named = "pyproject.toml"
    named = named or next((name for name in ("setup.cfg", "tox.ini") if _has_section(project, name)), None)
    argv = ("pylint", *settings.targets(project))
    return Check(kind=Kind.LINT, tool="pylint", argv=argv, found_in=named) if named else None


def recognise(argv: tuple[str, ...]) -> bool:
    """``pylint``, in any environment."""
    return words.started(argv)[:1] == ("pylint",)


def prepare(check: Check, _ask: Ask) -> Invocation:
    """As JSON, in the form that old and new versions have; nothing is remembered from run to run."""
    argv = words.with_option(check.argv, "--output-format", "json", short="-f")
    return Invocation(argv=words.with_flags(argv, "--persistent=n"), env={"PYLINTHOME": "/tmp/pylint"})  # noqa: S108 -- inside


def read_output(output: Output, _check: Check) -> Reading:
    """One JSON array."""
    document = parsed(output.stdout)
    return read(output, _findings(document) if isinstance(document, list) else None, usual=_USUAL)


def _has_section(project: Project, path: str) -> bool:
    return any(settings.section(project, path, name) is not None
               for name in ("pylint", "pylint.master", "pylint.main", "pylint.MASTER", "MASTER"))


def _findings(document: object) -> Iterator[LintResult]:
    for item in objects(document):
        rule, family = text(item.get("symbol"), most=80), text(item.get("type"), most=20)
        yield LintResult(
            tool="pylint", rule=rule, message=text(item.get("message")), path=relative(item.get("path")),
            line=number(item.get("line")), column=from_zero(item.get("column")),
            severity=_SEVERITY.get(family, "warning"), category=_category(rule, family))


def _category(rule: str, family: str) -> str:
    serious = family in ("fatal", "error", "warning") and rule not in _STYLISH
    return _CATEGORY.get(rule, "bug" if serious else "style")


_EXAMPLE = b"""[
    {
        "type": "error",
        "module": "pkg.bad",
        "obj": "",
        "line": 1,
        "column": 7,
        "endLine": null,
        "endColumn": null,
        "path": "pkg/bad.py",
        "symbol": "syntax-error",
        "message": "Parsing failed: 'invalid syntax (pkg.bad, line 1)'",
        "message-id": "E0001"
    },
    {
        "type": "warning",
        "module": "pkg.a",
        "obj": "",
        "line": 1,
        "column": 0,
        "endLine": 1,
        "endColumn": 9,
        "path": "pkg/a.py",
        "symbol": "unused-import",
        "message": "Unused import os",
        "message-id": "W0611"
    }
]
"""

TOOL = Tool(
    name="pylint", kind=Kind.LINT, detect=detect, recognise=recognise, prepare=prepare, read=read_output,
    install="pip install pylint",
    examples=(
        ToolExample(output=Output(exit_code=6, stdout=_EXAMPLE), reading=Reading(channel=Channel.STREAM, findings=(
            LintResult(
                tool="pylint", rule="syntax-error", message="Parsing failed: 'invalid syntax (pkg.bad, line 1)'",
                path="pkg/bad.py", line=1, column=8, severity="error", category="syntax"),
            LintResult(
                tool="pylint", rule="unused-import", message="Unused import os", path="pkg/a.py", line=1, column=1),
        ))),
        ToolExample(output=Output(exit_code=0, stdout=b"[]\n"), reading=Reading(channel=Channel.STREAM)),
        ToolExample(
            output=Output(exit_code=32, stderr=b"pylint: error: Unrecognized option found: no-such-option\n"),
            reading=Reading(channel=Channel.EXIT_CODE, notes=(
                "could not be read (exit code 32): pylint: error: Unrecognized option found: no-such-option",))),
    ),
)
