"""pyright, and basedpyright, which speaks the same."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.checks import settings, words
from windtunnel.checks.findings import Severity, below, from_zero, objects, parsed, read, relative
from windtunnel.checks.findings import words as text
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

_BUGS = frozenset({"reportUndefinedVariable", "reportPossiblyUnbound", "reportPossiblyUnboundVariable",
                   "reportUnboundVariable", "reportSelfClsParameterName", "reportIndexIssue"})
_STYLES = frozenset({"reportUnusedImport", "reportUnusedVariable", "reportUnusedClass", "reportUnusedFunction"})


def detect(project: Project) -> Check | None:
    """``pyrightconfig.json``, or its table in ``pyproject.toml``."""
    based = settings.table(project, "pyproject.toml", "tool", "basedpyright") is not None
    named = "pyrightconfig.json" if project.exists("pyrightconfig.json") else None
    if named is None and (based or settings.table(project, "pyproject.toml", "tool", "pyright") is not None):
        named = "pyproject.toml"
    argv = ("basedpyright" if based else "pyright",)
    return Check(kind=Kind.LINT, tool="pyright", argv=argv, found_in=named) if named else None


def recognise(argv: tuple[str, ...]) -> bool:
    """``pyright``, in any environment and also from ``npx``."""
    started = words.started(argv)
    return next(iter(started[1:] if started[:1] == ("npx",) else started), "") in ("pyright", "basedpyright")


def prepare(check: Check, _ask: Ask) -> Invocation:
    """As JSON; the wrapper from PyPI neither looks for a newer version nor says so."""
    return Invocation(argv=words.with_flags(check.argv, "--outputjson"), env={
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1", "NO_UPDATE_NOTIFIER": "1"})


def read_output(output: Output, _check: Check) -> Reading:
    """One JSON object, after anything that a wrapper printed; lines and columns are counted from zero."""
    document = parsed(output.stdout[max(output.stdout.find(b"{"), 0) :])
    known = isinstance(below(document, "generalDiagnostics"), list)
    return read(output, _findings(below(document, "generalDiagnostics")) if known else None)


def _findings(diagnostics: object) -> Iterator[LintResult]:
    for item in objects(diagnostics):
        rule, severity = text(item.get("rule"), most=80), _severity(item.get("severity"))
        yield LintResult(
            tool="pyright", rule=rule or "syntax", message=text(item.get("message")), path=relative(item.get("file")),
            line=from_zero(below(item, "range", "start", "line")),
            column=from_zero(below(item, "range", "start", "character")), severity=severity, category=_category(rule))


def _severity(said: object) -> Severity:
    return "error" if said == "error" else "warning" if said == "warning" else "note"


def _category(rule: str) -> str:
    if not rule:
        return "syntax"
    return "bug" if rule in _BUGS else "style" if rule in _STYLES else "type"


_EXAMPLE = rb"""{
    "version": "1.1.414",
    "time": "1794787549037",
    "generalDiagnostics": [
        {
            "file": "/workspace/pkg/a.py",
            "severity": "error",
            "message": "\"undefined_name\" is not defined",
            "range": {"start": {"line": 8, "character": 15}, "end": {"line": 8, "character": 29}},
            "rule": "reportUndefinedVariable"
        },
        {
            "file": "/workspace/pkg/bad.py",
            "severity": "error",
            "message": "\"(\" was not closed",
            "range": {"start": {"line": 0, "character": 5}, "end": {"line": 0, "character": 6}}
        }
    ],
    "summary": {"filesAnalyzed": 3, "errorCount": 2, "warningCount": 0, "informationCount": 0, "timeInSec": 0.853}
}
"""

TOOL = Tool(
    name="pyright", kind=Kind.LINT, detect=detect, recognise=recognise, prepare=prepare, read=read_output,
    install="pip install 'pyright[nodejs]', or npm install pyright",
    examples=(
        ToolExample(output=Output(exit_code=1, stdout=_EXAMPLE), reading=Reading(channel=Channel.STREAM, findings=(
            LintResult(
                tool="pyright", rule="reportUndefinedVariable", message='"undefined_name" is not defined',
                path="pkg/a.py", line=9, column=16, severity="error", category="bug"),
            LintResult(
                tool="pyright", rule="syntax", message='"(" was not closed', path="pkg/bad.py", line=1, column=6,
                severity="error", category="syntax"),
        ))),
        ToolExample(
            output=Output(
                exit_code=3, stdout=b'{"version": "1.1.414", "generalDiagnostics": [], "summary": {"errorCount": 0}}',
                stderr=b'Config file "/workspace/p.json" could not be parsed. Verify that format is correct.\n'),
            reading=Reading(channel=Channel.EXIT_CODE, notes=((
                'could not be read (exit code 3): Config file "/workspace/p.json" could not be parsed.'
                " Verify that format is correct."),))),
    ),
)
