"""``cargo build``, by its JSON messages; the same messages come from ``cargo clippy`` and ``cargo test``.

A procedural macro of the project runs inside the compiler and could write messages of its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from windtunnel.checks import findings
from windtunnel.checks.findings import Severity, below, number, objects, relative, words
from windtunnel.checks.outcomes import json_lines, name, text
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

CARGO_ENVIRONMENT = {"CARGO_NET_OFFLINE": "true", "CARGO_TERM_COLOR": "never"}
INSTALL = "Rust from rustup.rs or the package manager (Debian: apt install cargo)"
USUAL = (0, 1, 101)

_SUMMARY = re.compile(r"\d+ warnings? emitted|aborting due to .*|`.*` \(.*\) generated \d+ warnings?.*")
_LEVELS: dict[str, Severity] = {"error": "error", "warning": "warning", "note": "note", "help": "note"}


def cargo_command(argv: tuple[str, ...]) -> str:
    """The command of a ``cargo`` command line (``cargo +nightly test`` is ``test``); nothing for another program."""
    if not argv or argv[0].rpartition("/")[2] != "cargo":
        return ""
    return next((word for word in argv[1:] if not word.startswith(("+", "-"))), "")


def cargo_check(project: Project, kind: Kind, *, command: str) -> Check | None:
    """``cargo <command>`` for a project with a manifest."""
    if not project.exists("Cargo.toml"):
        return None
    return Check(kind=kind, tool=f"cargo {command}", argv=("cargo", command), found_in="Cargo.toml")


def with_options(argv: tuple[str, ...], *options: str) -> tuple[str, ...]:
    """The command line with options for ``cargo``, before what ``--`` sets apart."""
    at = argv.index("--") if "--" in argv else len(argv)
    return (*argv[:at], *options, *argv[at:])


def with_messages(argv: tuple[str, ...]) -> tuple[str, ...]:
    """With JSON messages, in place of any other format that was asked for; the last one would not win, it is an error.

    ``--quiet`` goes too.
    """
    kept: list[str] = []
    given = iter(argv)
    for word in given:
        if word == "--":
            return (*kept, "--message-format=json", word, *given)
        if word == "--message-format":
            next(given, None)
        elif not word.startswith("--message-format=") and word not in {"-q", "--quiet"}:
            kept.append(word)
    return (*kept, "--message-format=json")


def diagnostics(told: Iterable[dict[str, object] | str], *, tool: str) -> Iterator[LintResult]:
    """What the compiler found, each once although it compiles a library for itself and for its tests."""
    seen: set[LintResult] = set()
    for found in told:
        finding = diagnostic(found, tool=tool) if isinstance(found, dict) else None
        if finding is not None and finding not in seen:
            seen.add(finding)
            yield finding


def diagnostic(found: dict[str, object], *, tool: str) -> LintResult | None:
    """One message of the compiler; None for what is none, or only counts the others."""
    told = found.get("message")
    level = text(below(told, "level")).partition(":")[0]
    if found.get("reason") != "compiler-message" or level not in _LEVELS:
        return None
    said = words(below(told, "message"))
    spans = objects(below(told, "spans"))
    span = next((span for span in spans if span.get("is_primary") is True), {})
    if not spans and _SUMMARY.fullmatch(said):
        return None
    label, code = words(span.get("label")), name(text(below(told, "code", "code")))
    return LintResult(
        tool=tool, rule=code or "compile", message=f"{said}: {label}" if label else said,
        path=relative(span.get("file_name")), line=number(span.get("line_start")),
        column=number(span.get("column_start")), severity=_LEVELS[level], category=_category(code, level))


def _category(code: str, level: str) -> str:
    """An error with a number is one of types and names, an error of a lint is a likely bug."""
    if level != "error":
        return "style"
    return "type" if re.fullmatch(r"E\d+", code) else "bug" if code else "syntax"


def detect(project: Project) -> Check | None:
    """Every project with a manifest."""
    return cargo_check(project, Kind.BUILD, command="build")


def recognise(argv: tuple[str, ...]) -> bool:
    """``cargo build``, ``cargo check`` and their short forms."""
    return cargo_command(argv) in {"build", "b", "check", "c"}


def prepare(check: Check, _ask: Ask) -> Invocation:
    """With JSON messages."""
    return Invocation(argv=with_messages(check.argv), env=CARGO_ENVIRONMENT)


def read(output: Output, _check: Check) -> Reading:
    """Errors and warnings of the compiler."""
    return findings.read(output, diagnostics(json_lines(output.stdout), tool="cargo build"), usual=USUAL)


_MESSAGES = b"""\
{"reason":"compiler-message","target":{"kind":["lib"],"name":"shop","src_path":"/workspace/src/lib.rs"},\
"message":{"rendered":"warning: unused variable: `unused`\\n --> src/lib.rs:2:9\\n","level":"warning",\
"message":"unused variable: `unused`",\
"spans":[{"column_end":15,"column_start":9,"file_name":"src/lib.rs","is_primary":true,\
"label":null,"line_end":2,"line_start":2}],"code":{"code":"unused_variables","explanation":null}}}
{"reason":"compiler-message","target":{"kind":["lib"],"name":"shop","src_path":"/workspace/src/lib.rs"},\
"message":{"rendered":"error: cannot find value `missing` in this scope\\n --> src/lib.rs:4:18\\n","level":"error",\
"message":"cannot find value `missing` in this scope",\
"spans":[{"column_end":25,"column_start":18,"file_name":"src/lib.rs","is_primary":true,\
"label":"not found in this scope","line_end":4,"line_start":4}],\
"code":{"code":"E0425","explanation":"An unresolved name was used."}}}
{"reason":"compiler-message","target":{"kind":["lib"],"name":"shop","src_path":"/workspace/src/lib.rs"},\
"message":{"rendered":"For more information","level":"failure-note",\
"message":"For more information about an error, try \
`rustc --explain E0425`.","spans":[],"code":null}}
{"reason":"build-finished","success":false}
"""

TOOL = Tool(
    name="cargo build",
    kind=Kind.BUILD,
    detect=detect,
    recognise=recognise,
    prepare=prepare,
    read=read,
    install=INSTALL,
    examples=(
        ToolExample(
            output=Output(exit_code=101, stdout=_MESSAGES, stderr=b"error: could not compile `shop` (lib)\n"),
            reading=Reading(channel=Channel.STREAM, findings=(
                LintResult(
                    tool="cargo build", rule="unused_variables", message="unused variable: `unused`",
                    path="src/lib.rs", line=2, column=9, severity="warning", category="style"),
                LintResult(
                    tool="cargo build", rule="E0425", path="src/lib.rs", line=4, column=18, severity="error",
                    message="cannot find value `missing` in this scope: not found in this scope", category="type"),
            )),
        ),
        ToolExample(
            output=Output(exit_code=0, stdout=b'{"reason":"build-finished","success":true}\n'),
            reading=Reading(channel=Channel.STREAM)),
    ),
)
