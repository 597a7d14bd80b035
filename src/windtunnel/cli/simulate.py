"""``windtunnel simulate``: which functions break or slow down under which conditions."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from windtunnel.cli.render import clean, colour, json_text, table, tell
from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from windtunnel.core.simulation import Blame, Simulation

_FAILED = 2
_CLEAR = "\r\x1b[K"
_MOST_PRESET_BYTES = 1024**2
_MOST_LEFT = 5


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Its arguments."""
    made = commands.add_parser(
        "simulate", help="call a project's functions under many conditions and see which break",
        description="Call the functions, methods and classes of a Python project in a sandbox, with inputs found for "
        "them, and run the tests of other languages, under each of many conditions: little processor, memory or disk, "
        "a slow or lossy network, a full disk, a clock that jumps and so on. What returned without conditions and does "
        "not under one is broken, and the condition that does it is named. Nothing of the project is changed. 0 when "
        "nothing breaks, 1 when something does, 2 when nobody could tell.")
    made.add_argument("path", nargs="?", default=".", metavar="PATH", help="the project (default: the current folder)")
    which = made.add_mutually_exclusive_group()
    which.add_argument("--preset-count", type=int, metavar="N",
                       help="generate so many presets that mix conditions, as the first rows of a covering array")
    which.add_argument("--presets", metavar="FILE", help="a JSON file of presets; - reads standard input")
    made.add_argument("--section", action="append", default=[], metavar="NAME",
                      help="only sections with this in their path or name; may be repeated")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="the same seed does the same (default 0)")
    made.add_argument("--calls", type=int, default=6, metavar="N", help="calls of each section, at most (default 6)")
    made.add_argument("--seconds", type=float, default=5.0, metavar="S", help="of one call, at most (default 5)")
    made.add_argument("--tests", action="store_true",
                      help="run Python's own tests as sections too; those of other languages always are")
    made.add_argument("--edges", action="store_true",
                      help="search from which value on a numeric condition breaks what it breaks")
    made.add_argument("--no-measure", action="store_true", help="do not measure the conditions themselves")
    made.add_argument("--report", metavar="FILE", help="also write a page of HTML that opens offline")
    made.add_argument("--json", action="store_true", help="the whole result as JSON")
    made.set_defaults(act=act, failed=_FAILED, interrupted="interrupted; the sandboxes were ended")


def act(chosen: argparse.Namespace) -> int:
    """Simulate, and show."""
    project = Path(chosen.path)
    if not project.is_dir():
        raise UsageError(f"path: {chosen.path!r} is not a folder", field="path")
    if chosen.report:
        _check_report(Path(chosen.report))
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    with Tunnel(config.load(project=project), pool_size=0, tell=tell) as tunnel:
        made = tunnel.simulate(
            project, presets=read_presets_file(chosen.presets) if chosen.presets else None,
            preset_count=chosen.preset_count, seed=chosen.seed, sections=tuple(chosen.section), calls=chosen.calls,
            seconds=chosen.seconds, measure=not chosen.no_measure, tests=chosen.tests, edges=chosen.edges,
            tell=progress)
    if sys.stderr.isatty():
        sys.stderr.write(_CLEAR)
    if chosen.report:
        from windtunnel.engine.report_simulation.page import write_page  # noqa: PLC0415
        from windtunnel.engine.simulate.shown import report_of  # noqa: PLC0415

        write_page(report_of(made), Path(chosen.report))
    print(json_text(made) if chosen.json else "\n".join(shown(made)))
    return _exit_code(made)


def _exit_code(made: Simulation) -> int:
    from windtunnel.core.simulation import State  # noqa: PLC0415

    if made.blames:
        return 1
    return 0 if any(one.state is not State.NOT_RUN for one in made.outcomes) else _FAILED


def _check_report(path: Path) -> None:
    """Before anything runs, so that no result is lost by it."""
    there = path.exists()
    try:
        path.open("ab").close()
    except OSError as error:
        raise UsageError(f"report: {str(path)!r} cannot be written: {error.strerror}", field="report") from error
    if not there:
        path.unlink()


def read_presets_file(path: str) -> bytes:
    """What it holds; a little more than may be is enough to refuse it."""
    try:
        if path == "-":
            return sys.stdin.buffer.read(_MOST_PRESET_BYTES + 1)
        with Path(path).open("rb") as file:
            return file.read(_MOST_PRESET_BYTES + 1)
    except OSError as error:
        raise UsageError(f"presets: {path!r} cannot be read: {error.strerror}", field="presets") from error


def progress(words: str, share: float | None) -> None:
    """One line that is written anew on a terminal; a machine need not hear of it."""
    if sys.stderr.isatty():
        done = "" if share is None else f"{share:4.0%} "
        sys.stderr.write(f"{_CLEAR}{done}{clean(words)[:100]}")
        sys.stderr.flush()


def shown(made: Simulation) -> Iterator[str]:
    """The verdict in one line, the heat map, what breaks by what, and what could not be made real."""
    from windtunnel.cli.heat import heat_lines  # noqa: PLC0415
    from windtunnel.engine.simulate.shown import heat_of  # noqa: PLC0415

    count = len(made.blames)
    if _exit_code(made) == _FAILED:
        yield colour(f"nobody can tell: {_why_nothing(made)}", "yellow")
    else:
        yield colour(f"{count or 'none'} of {len(made.sections)} sections {'break' if count > 1 else 'breaks'} under "
                     f"{len(made.scenarios)} {'scenario' if len(made.scenarios) == 1 else 'scenarios'}",
                     "red" if count else "green")
    yield from _blames(made)
    yield from _edges(made)
    if made.sections:
        yield ""
        yield from heat_lines(heat_of(made))
    yield from _unreal(made)
    yield from _left(made)
    yield colour(f"{made.section_runs} section runs in {made.seconds:.1f} s, seed {made.seed}", "grey")
    yield from (colour(clean(note), "grey") for note in made.notes)


def _why_nothing(made: Simulation) -> str:
    if made.sections:
        return f"none of {len(made.sections)} sections could be called under {len(made.scenarios)} scenarios"
    left = len(made.skipped) + len(made.unsteady)
    return f"none of {left} sections could be called" if left else "there is nothing to call"


def _blames(made: Simulation) -> Iterator[str]:
    if made.blames:
        yield ""
        yield table([[one.section, _named(one), one.reason[:80]] for one in made.blames],
                    head=("section", "breaks under", "how"))


def _edges(made: Simulation) -> Iterator[str]:
    if made.edges:
        yield ""
        yield table([[one.section, one.words[:120]] for one in made.edges], head=("section", "edge"))


def _named(blame: Blame) -> str:
    return (" and " if blame.together else " or ").join(map(_short, blame.conditions)) or "(not found)"


def _short(condition: str) -> str:
    return condition.removeprefix("FAILURE_MODES:")


def _unreal(made: Simulation) -> Iterator[str]:
    rows = [[scenario, _short(one.name), one.requested, one.reason] for scenario, some in made.conditions.items()
            for one in some if not one.real]
    if rows:
        yield ""
        yield colour("conditions that could not be made real here", "yellow")
        yield table(rows, head=("scenario", "condition", "asked", "why"))


def _left(made: Simulation) -> Iterator[str]:
    for words, left in (("not called", made.skipped), ("not the same twice without conditions", made.unsteady)):
        if left:
            yield ""
            yield colour(f"{words}: {len(left)}", "grey")
            yield from (colour(f"  {clean(name)}: {clean(reason)[:100]}", "grey")
                        for name, reason in list(left.items())[:_MOST_LEFT])
            if len(left) > _MOST_LEFT:
                yield colour(f"  and {len(left) - _MOST_LEFT} more (--json has all)", "grey")
