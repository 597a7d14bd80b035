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
from windtunnel.core.errors import UsageError

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
    whole.add_argument("--preset-count", type=int, default=None, metavar="N", help="presets to generate (default 3)")
    _options(whole)
    given = commands.add_parser("run-complete", help="the same under the presets of a file", description=_WORDS)
    given.add_argument("presets", metavar="PRESETS", help="a JSON file of presets; - reads standard input")
    _options(given)


def _options(made: argparse.ArgumentParser) -> None:
    made.add_argument("path", nargs="?", default=None, metavar="PATH",
                      help="the project (default: SANDBOX_REPO_PATH, or the current folder)")
    made.add_argument("--max-iterations", type=int, default=None, metavar="N", help="cycles, at most (default 10)")
    made.add_argument("--seed", type=int, default=None, metavar="N", help="the same seed does the same (default 0)")
    made.add_argument("--data", default="sandbox_data", metavar="FOLDER",
                      help="where the runs, with journal and clone, and roi_history.json go (default: sandbox_data)")
    made.add_argument("--section", action="append", default=[], metavar="NAME",
                      help="only sections with this in their path or name; may be repeated")
    made.add_argument("--no-improve", action="store_true", help="measure alone; look for no changes")
    made.add_argument("--no-edges", action="store_true",
                      help="do not search from which value on a condition breaks a section")
    made.add_argument("--improve-seconds", type=float, default=None, metavar="S",
                      help="for looking for changes in one cycle (default 120)")
    made.add_argument("--model", choices=["openai"],
                      help="ask a model too when gains fade: any endpoint of that form, as WINDTUNNEL_MODEL_* say")
    made.add_argument("--brainstorm-interval", type=int, default=None, metavar="N",
                      help="ask it every N cycles as well; 0 for never (default: SANDBOX_BRAINSTORM_INTERVAL, or 0)")
    made.add_argument("--brainstorm-retries", type=int, default=None, metavar="N",
                      help="cycles in a row that gain too little before it is asked (default: "
                      "SANDBOX_BRAINSTORM_RETRIES, or 3)")
    add_option(made)
    made.add_argument("--resume", action="store_true",
                      help="go on with the newest run of the data folder; of its options only --max-iterations may be "
                      "another")
    made.add_argument("--alone", metavar="RUN", help=argparse.SUPPRESS)  # the process that the guard watches over
    made.add_argument("--parent", type=int, help=argparse.SUPPRESS)
    made.add_argument("--json", action="store_true", help="the whole result as JSON")
    made.set_defaults(act=act, failed=_FAILED, interrupted="interrupted; --resume goes on with it")


def act(chosen: argparse.Namespace) -> int:
    """Begin a run and watch over it; or, as the one that is watched, do it."""
    if chosen.alone:
        _be_watched(chosen)
    folder = _folder(chosen)
    project = _project(chosen, folder)
    if not project.is_dir():
        raise UsageError(f"path: {str(project)!r} is not a folder", field="path")
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    with Tunnel(config.load(project=project), pool_size=0, tell=tell) as tunnel:
        if chosen.alone:
            return _go_on(tunnel, chosen)
        desk = tunnel.cycles
        port = port_of(chosen)
        if folder is None:
            folder = Path(desk.begin(project, **_asked(chosen)))
        command = [sys.executable, "-m", "windtunnel", chosen.command, *_again(chosen, project, folder)]
        with dashboard(tunnel, str(folder), port=port):
            return desk.watch(str(folder), command)


def _be_watched(chosen: argparse.Namespace) -> None:
    """The one that watches is who speaks when it is interrupted, and nobody goes on without it."""
    from windtunnel.core.dying import die_with  # noqa: PLC0415

    chosen.interrupted = ""
    if chosen.parent is not None:
        die_with(chosen.parent)


def _folder(chosen: argparse.Namespace) -> Path | None:
    """Of the run to go on with; none where one is to begin."""
    if chosen.alone:
        return Path(chosen.alone)
    if not chosen.resume:
        return None
    from windtunnel.engine.cycles.again import check_same, newest  # noqa: PLC0415

    folder = newest(Path(chosen.data))
    check_same(folder, _given(chosen))
    return folder


def _project(chosen: argparse.Namespace, folder: Path | None) -> Path:
    if folder is None:
        return Path(chosen.path or os.environ.get("SANDBOX_REPO_PATH", "."))
    from windtunnel.engine.cycles.again import project_of  # noqa: PLC0415

    return project_of(folder, named=chosen.path)


def _asked(chosen: argparse.Namespace) -> dict[str, Any]:
    """What a new run is begun with: the options, else the environment, else as ``Cycles`` has it."""
    from windtunnel.engine.cycles.brainstorm import DEFAULT_RETRIES, INTERVAL, RETRIES, number_of  # noqa: PLC0415

    given = _given(chosen)
    for name, variable, default in (("interval", INTERVAL, 0), ("retries", RETRIES, DEFAULT_RETRIES)):
        if f"brainstorm_{name}" not in given:
            given[f"brainstorm_{name}"] = number_of(os.environ, variable, default=default)
    return {**given, "data": chosen.data}


def _given(chosen: argparse.Namespace) -> dict[str, Any]:
    """What was said, and nothing that was not."""
    told = {"max_iterations": chosen.max_iterations, "seed": chosen.seed, "sections": tuple(chosen.section) or None,
            "improve": False if chosen.no_improve else None, "improve_seconds": chosen.improve_seconds,
            "edges": False if chosen.no_edges else None, "model": chosen.model,
            "brainstorm_interval": chosen.brainstorm_interval, "brainstorm_retries": chosen.brainstorm_retries,
            "presets": _presets(chosen) if chosen.command == "run-complete" else None,
            "preset_count": getattr(chosen, "preset_count", None)}
    return {name: value for name, value in told.items() if value is not None}


def _presets(chosen: argparse.Namespace) -> list[Any]:
    from windtunnel.core.strict_json import read_json  # noqa: PLC0415

    found = read_json(read_presets_file(chosen.presets), field="presets")
    return found if isinstance(found, list) else [found]


def _again(chosen: argparse.Namespace, project: Path, folder: Path) -> list[str]:
    """How the watched process is told what to do: all else it reads in the journal."""
    presets = ["-"] if chosen.command == "run-complete" else []
    further = chosen.resume and chosen.max_iterations is not None
    return [*presets, str(project.resolve()), "--alone", str(folder), "--parent", str(os.getpid()),
            *(["--max-iterations", str(chosen.max_iterations)] if further else []),
            *(["--json"] if chosen.json else [])]


def _go_on(tunnel: Tunnel, chosen: argparse.Namespace) -> int:
    made = tunnel.cycles.go_on(chosen.alone, max_iterations=chosen.max_iterations, tell=progress)
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
