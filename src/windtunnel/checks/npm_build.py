"""The build script of a package.json, by the project's package manager; only its exit code is known."""

from __future__ import annotations

from windtunnel.checks.findings import decoded, words
from windtunnel.checks.package_json import NAME, manifest
from windtunnel.core.tool import Ask, Invocation, Output, Project, Reading, Tool, ToolExample
from windtunnel.core.trial import Channel, Check, Kind

_MANAGERS = frozenset({"npm", "pnpm", "yarn"})
_QUIET = {
    "npm_config_audit": "false", "npm_config_fund": "false", "npm_config_update_notifier": "false",
    "npm_config_logs_max": "0",
}  # fmt: skip
"""What a package manager would do besides: ask the network, write logs."""


def detect(project: Project) -> Check | None:
    """``npm run build`` where there is such a script."""
    found = manifest(project)
    if found is None or not found.scripts.get("build", "").strip():
        return None
    return Check(kind=Kind.BUILD, tool="npm", argv=(found.manager, "run", "build"), found_in=NAME)


def recognise(argv: tuple[str, ...]) -> bool:
    """``npm run build``, or the same by another package manager."""
    name = argv[0].rpartition("/")[2] if argv else ""
    rest = tuple(word for word in argv[1:] if not word.startswith("-"))
    return name in _MANAGERS and (rest[:2] in (("run", "build"), ("run-script", "build")) or rest[:1] == ("build",))


def prepare(check: Check, _ask: Ask) -> Invocation:
    """As it is."""
    return Invocation(argv=check.argv, env=_QUIET)


def read(output: Output, _check: Check) -> Reading:
    """Nothing but the exit code; for a failed build, the first line that speaks of an error."""
    if output.exit_code == 0:
        return Reading(channel=Channel.EXIT_CODE)
    lines = [words(line) for line in decoded(output.stdout[-65536:] + b"\n" + output.stderr[-65536:]).splitlines()]
    wrong = next((line for line in lines if "error" in line.lower() and not line.startswith(">")), "it said nothing")
    return Reading(channel=Channel.EXIT_CODE, notes=(f"the build failed (exit code {output.exit_code}): {wrong}",))


TOOL = Tool(
    name="npm", kind=Kind.BUILD, detect=detect, recognise=recognise, prepare=prepare, read=read,
    install="apt-get install npm",
    examples=(
        ToolExample(
            output=Output(exit_code=0, stdout=b"\n> build\n> tsc\n\n"), reading=Reading(channel=Channel.EXIT_CODE)),
        ToolExample(
            output=Output(
                exit_code=2, stdout=b"\n> build\n> tsc\n\na.ts(1,31): error TS2322: Type 'string' is wrong.\n"),
            reading=Reading(channel=Channel.EXIT_CODE, notes=(
                "the build failed (exit code 2): a.ts(1,31): error TS2322: Type 'string' is wrong.",))),
        ToolExample(
            output=Output(exit_code=137), reading=Reading(channel=Channel.EXIT_CODE, notes=(
                "the build failed (exit code 137): it said nothing",))),
    ),
)
