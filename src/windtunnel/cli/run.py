"""``windtunnel run``."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import clean, error, json_text, seconds, size, table, tell
from windtunnel.core.errors import UsageError
from windtunnel.core.limits import Limits, parse_size
from windtunnel.core.plain import plain_result
from windtunnel.core.result import ExecutionResult, Level, Reason

if TYPE_CHECKING:
    from windtunnel.tunnel import Tunnel

_HINTS = {
    Reason.TIMEOUT: "--seconds", Reason.CPU_TIME: "--cpu-seconds", Reason.OUT_OF_MEMORY: "--memory",
    Reason.OUT_OF_DISK: "--disk", Reason.TOO_MANY_PROCESSES: "--processes",
}


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments."""
    made = commands.add_parser(
        "run", help="run a program in a sandbox", description="Run a file, -c CODE, or standard input.")
    made.add_argument("file", nargs="?", help="the program; - or nothing for standard input")
    made.add_argument("args", nargs="*", help="arguments for the program")
    made.add_argument("-c", "--code", help="the program as text")
    made.add_argument("-l", "--language", help="else from the file's ending, else python")
    limits = made.add_argument_group("limits")
    limits.add_argument("--memory", metavar="SIZE", help="of all processes together (default 512m)")
    limits.add_argument("--seconds", type=float, metavar="N", help="wall time (default and cap: 30)")
    limits.add_argument("--cpu-seconds", type=float, metavar="N", help="processor time of all processes together")
    limits.add_argument("--cores", type=float, metavar="N", help="processors' worth of time (default 1)")
    limits.add_argument("--processes", type=int, metavar="N", help="processes and threads (default 100)")
    limits.add_argument("--disk", metavar="SIZE", help="private files (default 256m)")
    limits.add_argument("--output", metavar="SIZE", help="kept of each stream (default 1m)")
    walls = made.add_argument_group("walls")
    walls.add_argument("--net", choices=("none", "host"), default="none", help="the network it sees (default none)")
    walls.add_argument("--allow-host", action="append", metavar="HOST", help="reach only this host; may be repeated")
    walls.add_argument("--level", choices=[str(level) for level in Level], help="the walls to use")
    walls.add_argument("--min-isolation", choices=[str(level) for level in Level], help="below this nothing runs")
    walls.add_argument("--wait-approval", type=float, default=0.0, metavar="SECONDS",
                       help="where a policy asks for a person's yes, wait so long for it (default: not at all)")
    walls.add_argument("--gpus", default="", metavar="WHICH", help="for the container engine: all, 1, device=0")
    walls.add_argument("--writable", action="store_true", help="/sandbox may be written to")
    given = made.add_argument_group("what it finds")
    given.add_argument("--file", dest="files", action="append", default=[], metavar="NAME=PATH",
                       help="a file of yours below /sandbox; may be repeated")
    given.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
    given.add_argument("--input", metavar="PATH", help="standard input from a file; - passes yours through, live")
    given.add_argument("--workspace", metavar="FOLDER", help="shown copy-on-write at /workspace; yours stays as it is")
    given.add_argument("--stage", action="append", default=[], metavar="COMMAND",
                       help="shell commands to run in turn instead, with {source}, {build} and {previous}")
    told = made.add_argument_group("what you are told")
    told.add_argument("--json", action="store_true", help="the whole result as JSON; nothing is streamed")
    told.add_argument("--report", action="store_true", help="after the output: what was enforced, used and touched")
    told.add_argument("--profile", metavar="FILE.svg", help="write a flame graph (python, javascript)")
    told.add_argument("--spill", metavar="FOLDER", help="keep each whole stream as a file there")
    made.set_defaults(act=act)


def act(chosen: argparse.Namespace) -> int:
    """Run, stream, tell."""
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415 -- each command loads only what it uses

    with Tunnel(
        level=chosen.level, min_isolation=chosen.min_isolation, pool_size=0, gpus=chosen.gpus, tell=tell,
        approval_seconds=chosen.wait_approval,
    ) as tunnel:
        code, language = _program(chosen, tunnel)
        options = _options(chosen, tunnel)
        if not chosen.json:
            options |= {"on_stdout": _writer(sys.stdout.buffer), "on_stderr": _writer(sys.stderr.buffer)}
        if chosen.input == "-":
            options["live_stdin"] = sys.stdin.buffer
        result = tunnel.run(code, language, **options)
    if chosen.profile:
        _write_flame(result, chosen.profile)
    if chosen.json:
        print(json_text(plain_result(result)))
    else:
        _tell(result, report=chosen.report)
    return result.exit_code


def _program(chosen: argparse.Namespace, tunnel: Tunnel) -> tuple[bytes, str]:
    if chosen.code is not None:
        if chosen.file is not None:
            chosen.args.insert(0, chosen.file)
        return chosen.code.encode("utf-8", "surrogateescape"), chosen.language or "python"
    if chosen.file in (None, "-"):
        if chosen.input == "-":
            raise UsageError("--input -: standard input is the program already (give it as a file or by -c)")
        if sys.stdin.isatty():
            error("reading the program from standard input; end it with ctrl-d")
        return sys.stdin.buffer.read(), chosen.language or "python"
    return _read(chosen.file, field="file"), chosen.language or tunnel.languages.from_suffix(chosen.file).name


def _options(chosen: argparse.Namespace, tunnel: Tunnel) -> dict[str, Any]:
    stdin = _read(chosen.input, field="--input") if chosen.input not in (None, "-") else b""
    return {
        "limits": _limits(chosen, tunnel.settings.default_limits), "args": chosen.args, "stdin": stdin,
        "files": {name: _read(path, field="--file") for name, path in map(_pair("--file"), chosen.files)},
        "env_vars": dict(map(_pair("--env"), chosen.env)), "network_enabled": chosen.net == "host",
        "allow_hosts": chosen.allow_host, "read_only": not chosen.writable, "profile": bool(chosen.profile),
        "stages": chosen.stage, "spill": _folder(chosen.spill), "workspace": chosen.workspace,
    }


def _limits(chosen: argparse.Namespace, base: Limits) -> Limits:
    given = {
        "memory_bytes": _size(chosen.memory, "--memory"), "disk_bytes": _size(chosen.disk, "--disk"),
        "output_bytes": _size(chosen.output, "--output"), "wall_seconds": chosen.seconds, "cores": chosen.cores,
        "cpu_seconds": chosen.cpu_seconds, "processes": chosen.processes,
    }
    return replace(base, **{name: value for name, value in given.items() if value is not None})


def _size(text: str | None, field: str) -> int | None:
    return None if text is None else parse_size(text, field=field)


def _pair(field: str) -> Any:  # noqa: ANN401 -- a function for map
    def split(text: str) -> tuple[str, str]:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"{field}: not NAME=VALUE: {text!r}", field=field)
        return name, value
    return split


def _read(path: str, *, field: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as failure:
        raise UsageError(f"{field}: cannot read {path!r}: {failure.strerror}", field=field) from failure


def _folder(path: str | None) -> str | None:
    try:
        if path is not None:
            Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as failure:
        raise UsageError(f"--spill: cannot make {path!r}: {failure.strerror}", field="--spill") from failure
    return path


def _writer(stream: Any) -> Any:  # noqa: ANN401 -- a binary stream to its sink
    def write(data: bytes) -> None:
        stream.write(data)
        stream.flush()
    return write


def _write_flame(result: ExecutionResult, path: str) -> None:
    from windtunnel.engine.flame import flame_svg, hottest  # noqa: PLC0415 -- only for profiled runs

    if not result.profile:
        error("no samples: the program ended too soon, or ended without letting its interpreter finish")
        return
    Path(path).write_text(flame_svg(result.profile, title=f"{result.language} {result.id[:8]}"), encoding="utf-8")
    for frame, microseconds, percent in hottest(result.profile, count=5):
        print(f"{percent:5.1f} %  {microseconds / 1000:8.1f} ms  {clean(frame)}", file=sys.stderr)


def _tell(result: ExecutionResult, *, report: bool) -> None:
    sys.stdout.flush()
    if result.reason is not Reason.EXITED:
        hint, budget = _HINTS.get(result.reason), result.enforced.get("budget", "") if result.timeout else ""
        error(f"{result.error_message}" + (f" ({budget})" if budget else f" (raise it with {hint})" if hint else ""))
    if report:
        print(report_text(result), file=sys.stderr)


def report_text(result: ExecutionResult) -> str:
    """What was enforced, used and touched."""
    used, effects = result.usage, result.effects
    warm = ", from a waiting sandbox" if result.warm else ""
    ended = f"{result.reason}, exit code {result.exit_code}, {seconds(result.execution_time)}{warm}"
    usage = (f"{seconds(used.cpu_seconds)} of processor, {size(used.memory_peak_bytes)} of memory at most, "
             f"{used.processes_peak or '-'} processes, {size(used.disk_bytes)} of files, "
             f"{size(used.read_bytes)} read, {size(used.written_bytes)} written")
    touched = (f"{len(effects.files) + effects.files_omitted} files, "
               f"{len(effects.network) + effects.network_omitted} network attempts, "
               f"{len(effects.blocked)} kinds of refused calls, {len(effects.processes_left)} processes left behind")
    lines = [f"ended    {ended}", f"used     {usage}", f"touched  {touched}"]
    lines += [f"         {clean(tried.target)}: {tried.outcome}, {clean(tried.rule)}" for tried in effects.network]
    lines += [f"         {call.name}: refused {call.count} times" for call in effects.blocked]
    held = [[name, how] for name, how in result.enforced.items()]
    return "\n".join([*lines, "", table(held, head=["enforced", f"at the {result.level} level by"])])
