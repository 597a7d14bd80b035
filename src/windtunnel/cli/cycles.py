"""``windtunnel full-autonomous-run`` and ``run-complete``: cycles until nothing is gained any more."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.dashboard import add_option, dashboard, port_of
from windtunnel.cli.render import clean, colour, json_text, table, tell
from windtunnel.cli.simulate import progress, read_presets_file
from windtunnel.core.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windtunnel.engine.cycles.act import CyclesResult
    from windtunnel.tunnel import Tunnel

_FAILED = 2
_CLEAR = "\r\x1b[K"
_WORDS = """\
Each cycle calls the functions of a clone of the project under scenarios, measures how they do, looks for a change that
makes them better and keeps it where tests, answers and times prove it. It ends when the next cycle is not expected to
gain what it costs. The project itself is not changed: kept changes are diffs in the result. A run that is killed goes
on from its last finished cycle. 0 when it ended, 2 when not."""


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Their arguments."""
    whole = commands.add_parser("full-autonomous-run", description=_WORDS,
                                help="cycles of simulating and improving, under generated presets")
    whole.add_argument("--preset-count", type=int, default=3, metavar="N", help="presets to generate (default 3)")
    _options(whole)
    given = commands.add_parser("run-complete", help="the same under the presets of a file", description=_WORDS)
    given.add_argument("presets", metavar="PRESETS", help="a JSON file of presets; - reads standard input")
    _options(given)


def _options(made: argparse.ArgumentParser) -> None:
    made.add_argument("path", nargs="?", default=None, metavar="PATH",
                      help="the project (default: SANDBOX_REPO_PATH, or the current folder)")
    made.add_argument("--max-iterations", type=int, default=10, metavar="N", help="cycles, at most (default 10)")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed does the same (default 0)")
    made.add_argument("--data", default="sandbox_data", metavar="FOLDER",
                      help="where the journal, the clone and roi_history.json go (default: sandbox_data)")
    made.add_argument("--section", action="append", default=[], metavar="NAME",
                      help="only sections with this in their path or name; may be repeated")
    made.add_argument("--no-improve", action="store_true", help="measure alone; look for no changes")
    made.add_argument("--no-edges", action="store_true",
                      help="do not search from which value on a condition breaks a section")
    made.add_argument("--improve-seconds", type=float, default=120.0, metavar="S",
                      help="for looking for changes in one cycle (default 120)")
    made.add_argument("--model", choices=["openai"],
                      help="ask a model too when gains fade: any endpoint of that form, as WINDTUNNEL_MODEL_* say")
    made.add_argument("--brainstorm-interval", type=int, default=None, metavar="N",
                      help="ask it every N cycles as well; 0 for never (default: SANDBOX_BRAINSTORM_INTERVAL, or 0)")
    made.add_argument("--brainstorm-retries", type=int, default=None, metavar="N",
                      help="cycles in a row that gain too little before it is asked (default: "
                      "SANDBOX_BRAINSTORM_RETRIES, or 3)")
    add_option(made)
    made.add_argument("--resume", action="store_true", help="go on with the newest run of this folder")
    made.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)  # the process that the guard watches over
    made.add_argument("--json", action="store_true", help="the whole result as JSON")
    made.set_defaults(act=act, failed=_FAILED, interrupted="interrupted; --resume goes on with it")


def act(chosen: argparse.Namespace) -> int:
    """Begin a run and watch over it; or, as the one that is watched, do it."""
    project = Path(chosen.path or os.environ.get("SANDBOX_REPO_PATH", "."))
    if not project.is_dir():
        raise UsageError(f"path: {str(project)!r} is not a folder", field="path")
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    with Tunnel(config.load(project=project), pool_size=0, tell=tell) as tunnel:
        if chosen.alone:
            return _go_on(tunnel, chosen)
        desk = tunnel.cycles
        port = port_of(chosen)
        folder = _newest(Path(chosen.data)) if chosen.resume else desk.begin(project, **_asked(chosen))
        with dashboard(tunnel, folder, port=port):
            return desk.watch(folder, [sys.executable, "-m", "windtunnel", chosen.command, *_again(chosen, project)])


def _asked(chosen: argparse.Namespace) -> dict[str, Any]:
    from windtunnel.core.strict_json import read_json  # noqa: PLC0415

    told = {"data": chosen.data, "max_iterations": chosen.max_iterations, "seed": chosen.seed,
            "sections": tuple(chosen.section), "improve": not chosen.no_improve,
            "improve_seconds": chosen.improve_seconds, "edges": not chosen.no_edges, "model": chosen.model,
            **_brainstorm(chosen)}
    if chosen.command == "run-complete":
        found = read_json(read_presets_file(chosen.presets), field="presets")
        return {**told, "presets": found if isinstance(found, list) else [found]}
    return {**told, "preset_count": chosen.preset_count}


def _brainstorm(chosen: argparse.Namespace) -> dict[str, int]:
    """As the options say, else the environment."""
    from windtunnel.engine.cycles.brainstorm import DEFAULT_RETRIES, INTERVAL, RETRIES, number_of  # noqa: PLC0415

    interval, retries = chosen.brainstorm_interval, chosen.brainstorm_retries
    return {
        "brainstorm_interval": number_of(os.environ, INTERVAL, default=0) if interval is None else interval,
        "brainstorm_retries": number_of(os.environ, RETRIES, default=DEFAULT_RETRIES) if retries is None else retries}


def _again(chosen: argparse.Namespace, project: Path) -> list[str]:
    """How the watched process is told what to do: all else it reads in the journal."""
    presets = ["-"] if chosen.command == "run-complete" else []
    return [*presets, str(project), "--data", chosen.data, "--alone", *(["--json"] if chosen.json else [])]


def _newest(data: Path) -> str:
    found = sorted((data / "runs").glob("[0-9]*"))
    if not found:
        raise NotFound(f"data: {str(data)!r} holds no run (begin one without --resume)", field="data")
    return str(found[-1].resolve())


def _go_on(tunnel: Tunnel, chosen: argparse.Namespace) -> int:
    made = tunnel.cycles.go_on(_newest(Path(chosen.data)), tell=progress)
    if sys.stderr.isatty():
        sys.stderr.write(_CLEAR)
    print(json_text(made) if chosen.json else "\n".join(_shown(made)))
    return 0


def _shown(made: CyclesResult) -> Iterator[str]:
    from windtunnel.cli.sparkline import series_line  # noqa: PLC0415
    from windtunnel.core.seen import Plot  # noqa: PLC0415

    yield colour(f"{made.iterations} {'cycle' if made.iterations == 1 else 'cycles'}; {made.advice.reason}", "bold")
    yield series_line(Plot(name="roi", actual=made.gains))
    yield ""
    yield table([[name, f"{value:+.4f}"] for name, value in made.scenarios.items()], head=("scenario", "ROI"))
    yield ""
    yield table([[name, f"{value:+.4f}"] for name, value in list(made.modules.items())[:20]], head=("module", "gained"))
    yield ""
    yield table([[name, f"{value:.4g}"] for name, value in sorted(made.metrics.items())], head=("metric", "last value"))
    if made.tried:
        yield ""
        yield table([[str(one.cycle), clean(one.origin), clean(one.name), clean(one.place), "kept" if one.kept else
                      "dropped", clean(one.why)] for one in made.tried],
                    head=("cycle", "from", "candidate", "place", "", "why"))
    for diff in made.kept:
        yield ""
        yield colour("kept, proven to help:", "green")
        yield from map(clean, diff.splitlines())
    yield colour(f"history: {clean(made.data)}/roi_history.json", "grey")
    yield from (colour(f"not measured: {name}: {clean(why)}", "grey") for name, why in made.unmeasured.items())
    yield from (colour(clean(note), "grey") for note in made.notes)
