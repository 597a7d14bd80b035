"""``windtunnel fix``: from a failing project to the smallest proven diff."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli import trial_options
from windtunnel.cli.render import json_text, tell
from windtunnel.core.errors import SandboxFailure, UsageError
from windtunnel.core.result import Level

if TYPE_CHECKING:
    from windtunnel.core.repair import FixResult

_NOT_FIXED, _FAILED = 1, 2
_UNITS = {"": 1.0, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments."""
    made = commands.add_parser(
        "fix", help="look for a fix of a failing project; prints the smallest proven diff",
        description="Run the checks, propose edits where they fail, judge each in a sandbox, and prove the best by a "
        "trial of its own. The diff goes to standard output (windtunnel fix > fix.patch), all else to standard error. "
        "0 when it is fixed or nothing fails, 1 when it is not, only partly, or in doubt, 2 when nobody could look.")
    made.add_argument("path", nargs="?", default=".", metavar="PATH", help="the project (default: the current folder)")
    checks = made.add_argument_group("checks; those of the project are found where none is named")
    for kind in ("build", "lint", "test"):
        checks.add_argument(f"--{kind}", metavar="COMMAND", help=f"the {kind} command; an empty one for none")
    checks.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
    checks.add_argument("--jobs", type=int, metavar="N", help="sandboxes at once (default: one for each processor)")
    checks.add_argument("--test-seconds", type=float, default=5.0, metavar="N",
                        help="of the processor, after which one test counts as failed (default 5; 0 for no limit)")
    _add_search(made.add_argument_group("how it is looked for"))
    walls = made.add_argument_group("walls")
    walls.add_argument("--level", choices=[str(level) for level in Level], help="the walls to use")
    walls.add_argument("--min-isolation", choices=[str(level) for level in Level], help="below this nothing runs")
    walls.add_argument("--wait-approval", type=float, default=0.0, metavar="SECONDS",
                       help="where a policy asks for a person's yes, wait so long for it (default: not at all)")
    shown = made.add_argument_group("what is shown")
    shown.add_argument("--explain", action="store_true", help="why each edit, and what else was tried")
    forms = shown.add_mutually_exclusive_group()
    forms.add_argument("--json", action="store_true", help="the whole result as JSON instead of the diff")
    forms.add_argument("--markdown", action="store_true", help="a page for a pull request instead of the diff")
    shown.add_argument("--output", metavar="FILE", help="write it there instead of to standard output")
    shown.add_argument("--regression-test", metavar="FILE", help="where no test of the project saw the fault: write "
                       "one that does there, as a diff")
    made.set_defaults(act=act, failed=_FAILED)


def _add_search(group: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    group.add_argument("--budget", default="120s", metavar="TIME", help="how long to look: 90s, 5m (default 120s)")
    group.add_argument("--attempts", type=int, metavar="N", help="the most edits that are judged by tests")
    group.add_argument("--allow", action="append", default=[], metavar="PLACE",
                       help="touch only such files (src/**), lines (a.py:12-20) or functions (a.py::Cart.total); may "
                       "be repeated. Tests are never touched")
    group.add_argument("--forbid", action="append", default=[], metavar="PLACE", help="never touch such places")
    group.add_argument("--apply", action="store_true", help="write a sure fix into the project (windtunnel undo)")
    group.add_argument("--gate", action="store_true", help="also ask whether the tests would have noticed the fault")
    group.add_argument("--model", metavar="NAME", help="ask a model too: openai, for any endpoint of that form; "
                       "WINDTUNNEL_MODEL_URL, WINDTUNNEL_MODEL_KEY and WINDTUNNEL_MODEL_NAME say which")
    group.add_argument("--rules", metavar="PATH", help="rules of your own (YAML), or a folder of them and of handlers "
                       "(Python, which runs as a program of yours)")
    group.add_argument("--remember", action="store_true",
                       help="keep lines of fixes that work, and propose them for the same problem again")
    again = group.add_mutually_exclusive_group()
    again.add_argument("--resume", action="store_true", help="go on with what was judged before (the default)")
    again.add_argument("--anew", action="store_true", help="judge everything again")


def act(chosen: argparse.Namespace) -> int:
    """Look, show, and say by the exit code what came of it."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.cli.fix_progress import Progress  # noqa: PLC0415
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    project = Path(chosen.path)
    if not project.is_dir():
        raise UsageError(f"path: {chosen.path!r} is not a folder", field="path")
    if chosen.jobs is not None and chosen.jobs < 1:
        raise UsageError(f"--jobs: {chosen.jobs} is not a number from 1 up", field="--jobs")
    for option, name in (("--output", chosen.output), ("--regression-test", chosen.regression_test)):
        if name is not None and not os.access(Path(name).parent, os.W_OK | os.X_OK):
            raise UsageError(f"{option}: cannot write into {str(Path(name).parent)!r}", field=option)
    with Tunnel(config.load(project=project), level=chosen.level, min_isolation=chosen.min_isolation, pool_size=0,
                tell=tell, approval_seconds=chosen.wait_approval) as tunnel, Progress(quiet=chosen.json) as progress:
        result = tunnel.fix(
            project, build=chosen.build, lint=chosen.lint, test=chosen.test, env=trial_options.env_of(chosen.env),
            jobs=chosen.jobs, budget=seconds_of(chosen.budget), attempts=chosen.attempts, allow=tuple(chosen.allow),
            forbid=tuple(chosen.forbid), apply=chosen.apply, gate=chosen.gate, model=chosen.model,
            resume=not chosen.anew, test_seconds=chosen.test_seconds or None, rules=chosen.rules,
            remember=chosen.remember, tell=progress)
    _show(chosen, result)
    return 0 if result.success else _NOT_FIXED


def seconds_of(text: str) -> float:
    """A time as people write it."""
    found = re.fullmatch(r"(\d{1,6}(?:\.\d{1,3})?)\s*(s|m|min|h)?", text.strip())
    if found is None:
        raise UsageError(f"--budget: not a time: {text!r:.60} (try 90s, 5m or a number of seconds)", field="--budget")
    return float(found[1]) * _UNITS[found[2] or ""]


def _show(chosen: argparse.Namespace, result: FixResult) -> None:
    from windtunnel.api.exports.fix import markdown, plain_fix  # noqa: PLC0415

    text = f"{json_text(plain_fix(result))}\n" if chosen.json else markdown(result) if chosen.markdown else result.diff
    if not chosen.json:
        from windtunnel.cli.fix_text import page  # noqa: PLC0415
        from windtunnel.cli.render import colour  # noqa: PLC0415

        for line, shade in page(result, explain=chosen.explain):
            print(colour(line, shade, file=sys.stderr) if shade else line, file=sys.stderr, flush=True)
    if chosen.regression_test is not None and result.regression_test:
        _write(Path(chosen.regression_test), result.regression_test)
    if chosen.output is None:
        _print(text)
    else:
        _write(Path(chosen.output), text)


def _print(text: str) -> None:
    """As bytes: a diff must reach the one who applies it as it is."""
    data = text.encode("utf-8", "surrogateescape")
    with contextlib.suppress(AttributeError):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        return
    print(text, end="")


def _write(path: Path, text: str) -> None:
    """All of it or nothing: whoever reads the file never sees half of a diff."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        fresh.write_bytes(text.encode("utf-8", "surrogateescape"))
        fresh.replace(path)
    except OSError as failure:
        with contextlib.suppress(OSError):
            fresh.unlink(missing_ok=True)
        raise SandboxFailure(f"--output: cannot write {str(path)!r}: {failure.strerror}") from failure
