"""flake8, told to separate its columns by a character that no message holds."""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.checks import settings, words
from windtunnel.checks.families import judged
from windtunnel.checks.findings import decoded, number, read, relative
from windtunnel.checks.findings import words as text
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

_MARK = "\x1f"
_FORMAT = _MARK.join(("%(path)s", "%(row)d", "%(col)d", "%(code)s", "%(text)s"))
_COLUMNS = 5


def detect(project: Project) -> Check | None:
    """``.flake8``, or its section in ``setup.cfg`` or ``tox.ini``."""
    named = ".flake8" if project.exists(".flake8") else next(
        (name for name in ("setup.cfg", "tox.ini") if settings.section(project, name, "flake8") is not None), None)
    argv = ("flake8", *settings.targets(project))
    return Check(kind=Kind.LINT, tool="flake8", argv=argv, found_in=named) if named else None


def recognise(argv: tuple[str, ...]) -> bool:
    """``flake8``, in any environment."""
    return words.started(argv)[:1] == ("flake8",)


def prepare(check: Check, _ask: Ask) -> Invocation:
    """One line for each finding, also where the project's settings send them to a file."""
    argv = words.with_option(check.argv, "--format", _FORMAT)
    return Invocation(argv=words.with_flags(argv, "--color=never", "--no-show-source", "--tee"))


def read_output(output: Output, _check: Check) -> Reading:
    """Lines of five columns; others are statistics."""
    return read(output, _findings(output))


def _findings(output: Output) -> Iterator[LintResult]:
    for line in decoded(output.stdout).split("\n"):
        columns = line.split(_MARK, _COLUMNS - 1)
        if len(columns) != _COLUMNS:
            continue
        rule = text(columns[3], most=80)
        category, severity = judged(rule)
        yield LintResult(
            tool="flake8", rule=rule, message=text(columns[4]), path=relative(columns[0]), line=number(columns[1]),
            column=number(columns[2]), severity=severity, category=category)


_EXAMPLE = (
    b"./pkg/a.py\x1f1\x1f1\x1fF401\x1f'os' imported but unused\n"
    b"./pkg/a.py\x1f9\x1f16\x1fF821\x1fundefined name 'undefined_name'\n"
    b"./pkg/bad.py\x1f1\x1f8\x1fE999\x1fSyntaxError: invalid syntax\n"
    b"3\n"
)

TOOL = Tool(
    name="flake8", kind=Kind.LINT, detect=detect, recognise=recognise, prepare=prepare, read=read_output,
    install="pip install flake8",
    examples=(
        ToolExample(output=Output(exit_code=1, stdout=_EXAMPLE), reading=Reading(channel=Channel.STREAM, findings=(
            LintResult(
                tool="flake8", rule="F401", message="'os' imported but unused", path="pkg/a.py", line=1, column=1),
            LintResult(
                tool="flake8", rule="F821", message="undefined name 'undefined_name'", path="pkg/a.py", line=9,
                column=16, severity="error", category="bug"),
            LintResult(
                tool="flake8", rule="E999", message="SyntaxError: invalid syntax", path="pkg/bad.py", line=1, column=8,
                severity="error", category="syntax"),
        ))),
        ToolExample(output=Output(exit_code=0), reading=Reading(channel=Channel.STREAM)),
    ),
)
