"""``windtunnel diagnose``: what is wrong, most worth looking at first."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import json_text, tell
from windtunnel.core.errors import UsageError
from windtunnel.core.result import Level

if TYPE_CHECKING:
    from windtunnel.core.problem import Diagnosis

_PROBLEMS, _FAILED = 1, 2
_MOST_INPUT = 64 * 1024**2


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments."""
    made = commands.add_parser(
        "diagnose", help="run the checks; problems ranked, with places and causes",
        description="Run the checks of a project in a sandbox, or read saved output, and show what is wrong: each "
        "problem once, root causes first, with its place, the code around and the tests that fail by it. 0 when there "
        "is no error, 1 when there is, 2 when nobody could look.")
    made.add_argument("path", nargs="?", default=".", metavar="PATH", help="the project (default: the current folder)")
    made.add_argument("--from", dest="saved", metavar="FILE",
                      help="run nothing: read what a tool wrote, - for standard input; places are looked up in PATH")
    checks = made.add_argument_group("checks; those of the project are found where none is named")
    for kind in ("build", "lint", "test"):
        checks.add_argument(f"--{kind}", metavar="COMMAND", help=f"the {kind} command; an empty one for none")
    checks.add_argument("-k", "--pattern", metavar="WORDS", help="only tests that match, as the runner understands it")
    checks.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
    checks.add_argument("--jobs", type=int, metavar="N", help="sandboxes at once (default: one for each processor)")
    walls = made.add_argument_group("walls")
    walls.add_argument("--level", choices=[str(level) for level in Level], help="the walls to use")
    walls.add_argument("--min-isolation", choices=[str(level) for level in Level], help="below this nothing runs")
    walls.add_argument("--wait-approval", type=float, default=0.0, metavar="SECONDS",
                       help="where a policy asks for a person's yes, wait so long for it (default: not at all)")
    made.add_argument("--warnings", action="store_true", help="show warnings too, which do not count")
    made.add_argument("--most", type=int, default=20, metavar="N", help="problems shown (default 20); --json has all")
    made.add_argument("--json", action="store_true", help="the whole result as JSON")
    made.set_defaults(act=act, failed=_FAILED)


def act(chosen: argparse.Namespace) -> int:
    """Look, and show; 1 where there are errors."""
    project = Path(chosen.path)
    if not project.is_dir():
        raise UsageError(f"path: {chosen.path!r} is not a folder", field="path")
    if chosen.jobs is not None and chosen.jobs < 1:
        raise UsageError(f"--jobs: {chosen.jobs} is not a number from 1 up", field="--jobs")
    if chosen.saved is not None:
        _check_alone(chosen)
        from windtunnel.engine.diagnose import read_output  # noqa: PLC0415 -- each command loads only what it uses

        result = read_output(_saved(chosen.saved), project=project)
    else:
        result = _looked(chosen, project)
    _show(chosen, result)
    return _PROBLEMS if result.errors else 0


def _check_alone(chosen: argparse.Namespace) -> None:
    for name in ("build", "lint", "test", "pattern"):
        if getattr(chosen, name) is not None:
            raise UsageError(f"--from: runs nothing, so --{name} has no use beside it", field="--from")


def _saved(name: str) -> str:
    """What a tool wrote: the head and tail of a file of any size."""
    from windtunnel.diagnosis.text import MOST_TEXT  # noqa: PLC0415

    if name == "-":
        return sys.stdin.buffer.read(_MOST_INPUT).decode("utf-8", "replace")
    try:
        with Path(name).open("rb") as file:
            head = file.read(2 * MOST_TEXT)
            file.seek(0, 2)
            left = file.tell() - len(head)
            file.seek(-min(left, 2 * MOST_TEXT) if left > 0 else 0, 2)
            return (head + file.read()).decode("utf-8", "replace")
    except OSError as failure:
        raise UsageError(f"--from: cannot read {name!r}: {failure.strerror}", field="--from") from failure


def _looked(chosen: argparse.Namespace, project: Path) -> Diagnosis:
    from windtunnel import config  # noqa: PLC0415
    from windtunnel.cli.trial_options import env_of  # noqa: PLC0415
    from windtunnel.cli.trial_progress import progress_of  # noqa: PLC0415
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    with Tunnel(config.load(project=project), level=chosen.level, min_isolation=chosen.min_isolation, pool_size=0,
                tell=tell, approval_seconds=chosen.wait_approval) as tunnel, progress_of(
                    {}, quiet=chosen.json) as progress:
        return tunnel.diagnose(project, build=chosen.build, lint=chosen.lint, test=chosen.test, env=env_of(chosen.env),
                               pattern=chosen.pattern, jobs=chosen.jobs, tell=progress)


def _show(chosen: argparse.Namespace, result: Diagnosis) -> None:
    if chosen.json:
        from windtunnel.api.exports.diagnosis import plain_diagnosis  # noqa: PLC0415

        print(json_text(plain_diagnosis(result)))
        return
    from windtunnel.cli.diagnose_text import page  # noqa: PLC0415
    from windtunnel.cli.render import colour  # noqa: PLC0415

    for text, shade in page(result, most=max(1, chosen.most), warnings=chosen.warnings):
        print(colour(text, shade) if shade else text)
