"""``cargo clippy``, by the compiler's JSON messages.

A project with a manifest is checked when Clippy is there, or when it is set up for it.
"""

from __future__ import annotations

from windtunnel.checks import findings
from windtunnel.checks.cargo_build import (
    CARGO_ENVIRONMENT,
    USUAL,
    cargo_check,
    cargo_command,
    diagnostics,
    with_messages,
)
from windtunnel.checks.outcomes import json_lines
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind, LintResult

_NAME = "cargo clippy"


def detect(project: Project) -> Check | None:
    """A manifest, and Clippy on this machine or named in the project."""
    wanted = project.which("cargo-clippy") or project.exists("clippy.toml") or project.exists(".clippy.toml")
    named = b"clippy" in (project.read("Cargo.toml") or b"")
    return cargo_check(project, Kind.LINT, command="clippy") if wanted or named else None


def recognise(argv: tuple[str, ...]) -> bool:
    """``cargo clippy``."""
    return cargo_command(argv) == "clippy"


def prepare(check: Check, _ask: Ask) -> Invocation:
    """With JSON messages."""
    return Invocation(argv=with_messages(check.argv), env=CARGO_ENVIRONMENT)


def read(output: Output, _check: Check) -> Reading:
    """Lints, and what did not compile."""
    return findings.read(output, diagnostics(json_lines(output.stdout), tool=_NAME), usual=USUAL)


_MESSAGES = b"""\
{"reason":"compiler-message","target":{"kind":["lib"],"name":"shop","src_path":"/workspace/src/lib.rs"},\
"message":{"rendered":"warning: unneeded `return` statement\\n --> src/lib.rs:4:5\\n","level":"warning",\
"message":"unneeded `return` statement",\
"spans":[{"column_end":17,"column_start":5,"file_name":"src/lib.rs","is_primary":true,\
"label":null,"line_end":4,"line_start":4}],"code":{"code":"clippy::needless_return","explanation":null}}}
{"reason":"build-finished","success":true}
"""

TOOL = Tool(
    name=_NAME,
    kind=Kind.LINT,
    detect=detect,
    recognise=recognise,
    prepare=prepare,
    read=read,
    install="Clippy: rustup component add clippy (Debian: apt install rust-clippy)",
    examples=(
        ToolExample(
            output=Output(exit_code=0, stdout=_MESSAGES),
            reading=Reading(channel=Channel.STREAM, findings=(
                LintResult(
                    tool=_NAME, rule="clippy::needless_return", message="unneeded `return` statement",
                    path="src/lib.rs", line=4, column=5, severity="warning", category="style"),
            )),
        ),
        ToolExample(
            output=Output(exit_code=101, stderr=b"error: no such command: `clippy`\n"),
            reading=Reading(
                channel=Channel.EXIT_CODE,
                notes=("could not be read (exit code 101): error: no such command: `clippy`",))),
    ),
)
