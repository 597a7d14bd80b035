"""Rows that run programs."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import BaseModel, Field

from windtunnel.core.errors import LanguageMissing
from windtunnel.core.limits import MIB, Limits
from windtunnel.core.result import ExecutionResult
from windtunnel.tools.row import Context, Given, Told, Tool
from windtunnel.tools.shaping import lines

_MOST_CODE = 1_000_000
_MOST_OUTPUT = 9000


class RunCode(Given):
    """A program."""

    code: str = Field(max_length=_MOST_CODE, description="The whole program as text.")
    language: str = Field(default="python", max_length=50, description="python, javascript, bash, c …; see "
                          "list_languages.")
    stdin: str = Field(default="", max_length=_MOST_CODE, description="What the program reads from standard input.")
    args: list[Annotated[str, Field(max_length=10_000)]] = Field(default_factory=list, max_length=200)
    files: dict[str, Annotated[str, Field(max_length=_MOST_CODE)]] = Field(
        default_factory=dict, max_length=200, description="More files beside the program, by relative path.")
    env: dict[str, Annotated[str, Field(max_length=10_000)]] = Field(default_factory=dict, max_length=100)
    timeout_seconds: float | None = Field(default=None, gt=0, le=3600, description="Wall time; the usual is 30.")
    memory_mb: int | None = Field(default=None, ge=8, le=1_048_576, description="Memory of all processes; usually 512.")
    allow_hosts: list[Annotated[str, Field(max_length=300)]] = Field(
        default_factory=list, max_length=50, description="Hosts it may reach, each as name or name:port. Without any "
        "there is no network at all.")


class Ran(Told):
    """How it ended."""

    success: bool = Field(description="Whether it ended by itself with exit code 0.")
    exit_code: int
    ended: str = Field(description="exited, timeout, out_of_memory, … as the supervisor saw it.")
    stdout: str
    stderr: str
    left_out_bytes: int = Field(default=0, description="Output beyond what is kept.")
    seconds: float
    memory_peak_bytes: int | None = None
    network: list[str] = Field(default_factory=list, description="What it tried to reach, and whether it was let.")
    id: str = Field(description="Of the run; get_history finds it by this.")
    level: str | None = None


class ListLanguages(Given):
    """Nothing to say."""


class Language(BaseModel):
    """One language."""

    name: str
    aliases: list[str]
    installed: bool
    install: str = ""


class Languages(Told):
    """All there are."""

    languages: list[Language]


def ran(result: ExecutionResult) -> Ran:
    """A run as a model reads it."""
    reason = "The program ended with exit code 0." if result.success else f"The program failed: {result.error_message}"
    return Ran(
        reason=reason, next=_next(result), success=result.success, exit_code=result.exit_code, ended=str(result.reason),
        stdout=lines(result.stdout, most=_MOST_OUTPUT), stderr=lines(result.stderr, most=_MOST_OUTPUT),
        left_out_bytes=result.stdout_dropped + result.stderr_dropped, seconds=round(result.execution_time, 4),
        memory_peak_bytes=result.usage.memory_peak_bytes, id=result.id,
        network=[str(attempt)[:200] for attempt in result.effects.network[:20]],
        level=None if result.level is None else str(result.level))


def _next(result: ExecutionResult) -> str:
    if result.success:
        return "Read stdout."
    if result.timeout:
        return "It was stopped at its time limit: make it faster, or give a larger timeout_seconds."
    if result.oom_killed:
        return "It ran out of memory: use less, or give a larger memory_mb."
    if result.effects.network:
        return "It tried to reach a network it does not have: name what it needs in allow_hosts, or do without."
    return "Read stderr, correct the program, and run it again."


def limits_of(base: Limits, *, timeout_seconds: float | None, memory_mb: int | None) -> Limits | None:
    """The usual ones with what was asked for; none where nothing was."""
    asked: dict[str, float] = {}
    if timeout_seconds is not None:
        asked["wall_seconds"] = timeout_seconds
    if memory_mb is not None:
        asked["memory_bytes"] = memory_mb * MIB
    return replace(base, **asked) if asked else None  # type: ignore[arg-type]  # each of its own kind


def _run(context: Context, given: RunCode) -> Ran:
    limits = limits_of(context.tunnel.settings.default_limits, timeout_seconds=given.timeout_seconds,
                       memory_mb=given.memory_mb)
    return ran(context.tunnel.run(
        given.code, given.language, limits=limits, stdin=given.stdin, args=tuple(given.args), files=given.files,
        env_vars=given.env, allow_hosts=given.allow_hosts or None))


def _languages(context: Context, _: ListLanguages) -> Languages:
    known, found = context.tunnel.languages, []
    for language in known:
        try:
            known.toolchain(language)
        except LanguageMissing:
            installed = False
        else:
            installed = True
        found.append(Language(name=language.name, aliases=list(language.aliases), installed=installed,
                              install="" if installed else language.install))
    count = sum(one.installed for one in found)
    return Languages(reason=f"{count} of {len(found)} languages are installed here.", languages=found,
                     next="Use the name of an installed one with run_code.")


ROWS = (
    Tool(name="run_code", title="Run a program", permission="run_code", given=RunCode, told=Ran, act=_run,
         open_world=True,
         description="Runs a program in a fresh sandbox without network or access to any other file, and returns its "
         "output, exit code, and why it ended. Use it to compute something, to check how code behaves, or to try a "
         "snippet. Nothing is kept between two calls; use a workspace where files are to stay."),
    Tool(name="list_languages", title="List languages", permission="", given=ListLanguages, told=Languages,
         act=_languages, read_only=True, idempotent=True,
         description="The languages that run_code knows, and which of them are installed on this server."),
)
