"""``windtunnel analyze``: what a project is, on one page."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from windtunnel.cli.render import clean, colour, json_text, tell
from windtunnel.core.errors import UsageError

_FAILED = 2
_CLEAR = "\r\x1b[K"


def add(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Its arguments."""
    made = commands.add_parser(
        "analyze",
        help="languages, frameworks, dependencies, conflicts and measures of a project",
        description="Look at a project without running anything of it (but for --coverage and --resolve, in a "
        "sandbox), and show what it is: languages, parts and their frameworks, dependencies and where they do not fit "
        "together, known vulnerabilities where there is data, and measures of the code. 0 when it was looked at, 1 "
        "with --strict on conflicts or vulnerabilities, 2 when nobody could look.",
    )
    made.add_argument("path", nargs="?", default=".", metavar="PATH", help="the project (default: the current folder)")
    made.add_argument("--advisories", metavar="PATH", help="a folder or zip of OSV advisories; nothing is ever fetched")
    made.add_argument("--fresh", action="store_true", help="take nothing from the cache")
    made.add_argument("--thorough", action="store_true", help="measure every function, also of a large project")
    made.add_argument("--coverage", action="store_true",
                      help="where no report says it, run the tests in a sandbox to see what they cover")
    made.add_argument("--resolve", action="store_true",
                      help="have uv look, in a sandbox, whether Python's wishes and all that they bring along fit")
    made.add_argument("--allow-host", action="append", default=[], metavar="HOST",
                      help="what --resolve may reach beside the index in your environment; may be repeated")
    made.add_argument("--strict", action="store_true", help="end with 1 on conflicts and vulnerabilities")
    made.add_argument(
        "--most", type=int, default=10, metavar="N", help="rows shown of each table (default 10); --json has all"
    )
    made.add_argument("--json", action="store_true", help="the whole result as JSON")
    made.set_defaults(act=act, failed=_FAILED, interrupted="interrupted")


def act(chosen: argparse.Namespace) -> int:
    """Look, and show."""
    project = Path(chosen.path)
    if not project.is_dir():
        raise UsageError(f"path: {chosen.path!r} is not a folder", field="path")
    if chosen.most < 1:
        raise UsageError(f"--most: {chosen.most} is not a number from 1 up", field="--most")
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    with Tunnel(config.load(project=project), pool_size=0, tell=tell) as tunnel:
        result = tunnel.analyze(project, advisories=chosen.advisories, fresh=chosen.fresh, thorough=chosen.thorough,
                                coverage=chosen.coverage, resolve=chosen.resolve,
                                allow_hosts=tuple(chosen.allow_host), tell=_progress)
    if sys.stderr.isatty():
        sys.stderr.write(_CLEAR)
    if chosen.json:
        print(json_text(result))
    else:
        from windtunnel.cli.analyze_text import page  # noqa: PLC0415

        for text, shade in page(result, most=chosen.most):
            print(colour(text, shade) if shade else text)
    found = result.dependencies
    return int(chosen.strict and bool(found.conflicts or found.vulnerabilities))


def _progress(line: str) -> None:
    """One line that is written anew on a terminal; a machine need not hear of it."""
    if sys.stderr.isatty():
        sys.stderr.write(f"{_CLEAR}{clean(line)[:100]}")
        sys.stderr.flush()
