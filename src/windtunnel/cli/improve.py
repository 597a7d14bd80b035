"""``windtunnel improve``: the smallest diff that makes a project faster, as far as that was proven."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from windtunnel.cli.render import clean, json_text, tell
from windtunnel.core.errors import UsageError

_FAILED = 2


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Its arguments."""
    made = commands.add_parser(
        "improve",
        help="make a project faster, in cycles, keeping only what is proven to gain",
        description="Find out where a workload spends its time, try faster forms of that code in sandboxes, and keep "
        "only what passes the project's own tests, answers alike, prints the same and uses less of the processor with "
        "statistical confidence. The diff goes to standard output. The project is not touched without --apply. 0 when "
        "it is faster, 1 when nothing was kept, 2 for all that keeps it from being tried.")
    made.add_argument("path", nargs="?", default=".", metavar="PATH", help="the project (default: the current folder)")
    made.add_argument("--workload", metavar="COMMAND",
                      help="what is to be faster (default: python workload.py, or the tests where pytest runs them)")
    made.add_argument("--test", metavar="COMMAND", help="the tests (default: as the project is set up)")
    made.add_argument("--cycles", type=int, default=10, metavar="N", help="at most so many functions (default 10)")
    made.add_argument("--seconds", type=float, default=600.0, metavar="S", help="how long to look (default 600)")
    made.add_argument("--worthwhile", type=float, default=2.0, metavar="PERCENT",
                      help="the least gain that is worth an edit, of the workload's time (default 2)")
    made.add_argument("--seed", type=int, default=0, metavar="N", help="of the order of the runs")
    made.add_argument("--apply", action="store_true", help="write it into the project; windtunnel undo takes it back")
    made.add_argument("--anew", action="store_true", help="judge everything again instead of going on")
    made.add_argument("--json", action="store_true", help="the whole result as JSON")
    made.set_defaults(act=act, failed=_FAILED, interrupted="interrupted; the project was not touched")


def act(chosen: argparse.Namespace) -> int:
    """Look, and show."""
    project = Path(chosen.path)
    if not project.is_dir():
        raise UsageError(f"path: {chosen.path!r} is not a folder", field="path")
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    with Tunnel(config.load(project=project), pool_size=0, tell=tell) as tunnel:
        result = tunnel.improve(
            project, workload=chosen.workload, test=chosen.test, cycles=chosen.cycles, seconds=chosen.seconds,
            worthwhile=chosen.worthwhile / 100, seed=chosen.seed, apply=chosen.apply, resume=not chosen.anew,
            tell=_progress)
    if chosen.json:
        print(json_text(result))
        return int(not result.success)
    gained = f", {result.gain:.0%} less processor time" if result.gain is not None and result.success else ""
    print(f"{result.state}{gained}: {clean(result.reason)}", file=sys.stderr)
    for step in result.steps:
        told = clean(f"{step.path}::{step.function}  {step.rule}: {step.why}")
        print(f"{'kept' if step.kept else 'not kept':8}  {told}", file=sys.stderr)
    for note in (*result.notes, *(("applied; windtunnel undo takes it back",) if result.applied else ())):
        print(f"note      {clean(note)}", file=sys.stderr)
    sys.stdout.write(result.diff)
    return int(not result.success)


def _progress(line: str) -> None:
    """Only for a person who watches."""
    if sys.stderr.isatty():
        tell(clean(line)[:200])
