"""``windtunnel execute``: a plan carried out, gone on with, tried again or stopped."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.execute_text import Progress, report_page, states_page
from windtunnel.cli.render import json_text, tell
from windtunnel.core.errors import UsageError
from windtunnel.core.plan import plain_report
from windtunnel.core.result import Level

if TYPE_CHECKING:
    from windtunnel.core.plan import ExecutionReport
    from windtunnel.tunnel import Tunnel

_NOT_GOOD, _FAILED = 1, 2
_MOST_FILE = 4 * 1024**2


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments."""
    made = commands.add_parser(
        "execute", help="carry out a plan in a kept workspace",
        description="Run the tasks of a plan in a sandbox, over a copy of the project that is kept: each after what it "
        "needs, several at once where that is possible. One that was killed, cancelled or waits for a person goes on. "
        "0 when every task was done, 1 when not, 2 for all that keeps it from being tried.")
    made.add_argument("plan", metavar="PLAN", help="its id, or how it begins; last; or a file that was saved")
    how = made.add_mutually_exclusive_group()
    how.add_argument("--resume", action="store_true", help="only go on; refused where nothing was begun")
    how.add_argument("--fresh", action="store_true", help="from the beginning, also where something could go on")
    how.add_argument("--retry", metavar="TASK", help="one task again with more time, memory and output, then the rest")
    how.add_argument("--cancel", action="store_true", help="stop it, in whichever process it is")
    again = made.add_argument_group("with --retry")
    again.add_argument("--plain", action="store_true", help="as it was planned, with no more of anything")
    again.add_argument("--changed", action="store_true", help="something was changed since, so it may fail differently")
    again.add_argument("--allow-host", action="append", default=[], metavar="HOST",
                       help="what it may reach besides; may be repeated")
    made.add_argument("--jobs", type=int, metavar="N", help="tasks at once (default: one for each processor)")
    made.add_argument("--level", choices=[str(level) for level in Level], help="the walls to use")
    made.add_argument("--wait-approval", type=float, default=0.0, metavar="SECONDS",
                      help="where a person must agree, wait so long for it (default: not at all)")
    made.add_argument("--output", action="store_true", help="show what tasks print, as they print it")
    made.add_argument("--json", action="store_true", help="the report as JSON")
    made.set_defaults(act=act, failed=_FAILED, interrupted="interrupted; windtunnel execute goes on with the same plan")


def act(chosen: argparse.Namespace) -> int:
    """Carry it out; 1 where not every task was done."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    if chosen.jobs is not None and chosen.jobs < 1:
        raise UsageError(f"--jobs: {chosen.jobs} is not a number from 1 up", field="--jobs")
    with Tunnel(pool_size=0, tell=tell) as tunnel:
        name = _named(tunnel, chosen.plan)
        if chosen.cancel:
            run = tunnel.plans.cancel(name)
            print(json_text(run) if chosen.json else f"{name}: asked to stop")
            return 0
        project = Path(tunnel.plans.project_of(tunnel.plans.get(name)))
    settings = config.load(project=project if project.is_dir() else None)  # a project may tighten what holds for it
    with Tunnel(settings, pool_size=0, tell=tell, level=chosen.level,
                approval_seconds=chosen.wait_approval) as tunnel:
        progress = Progress(quiet=chosen.json, output=chosen.output)
        if chosen.retry is not None:
            state = tunnel.plans.retry(
                chosen.retry, plan=name, enhanced_context=not chosen.plain, changed=chosen.changed,
                allow_hosts=tuple(chosen.allow_host), tell=progress)
            if not state.success:
                print(json_text(state) if chosen.json else "\n".join(states_page({chosen.retry: state})))
                return _NOT_GOOD
        elif chosen.resume:
            _check_begun(tunnel, name)
        report = _executed(chosen, tunnel, name, progress)
    print(json_text(plain_report(report)) if chosen.json else "\n".join(report_page(report)))
    return 0 if report.success else _NOT_GOOD


def _executed(chosen: argparse.Namespace, tunnel: Tunnel, name: str, progress: Progress) -> ExecutionReport:
    if chosen.retry is not None and not tunnel.plans.is_open(name):
        return tunnel.plans.report(name)
    return tunnel.execute(name, max_concurrent_tasks=chosen.jobs, fresh=chosen.fresh, tell=progress)


def _check_begun(tunnel: Tunnel, name: str) -> None:
    if not tunnel.plans.is_open(name):
        raise UsageError(f"--resume: there is no execution of {name} that could go on (without --resume, one is begun)",
                         field="--resume")


def _named(tunnel: Tunnel, given: str) -> str:
    """The id of a plan that is known, or of one in a file, which is checked and kept."""
    if given == "last":
        found = next(iter(tunnel.plans.list()), None)
        if found is None:
            raise UsageError("plan: nothing was planned yet (windtunnel plan REQUEST)", field="plan")
        return found.plan.id
    path = Path(given)
    if not path.is_file():
        return tunnel.plans.get(given).id
    try:
        with path.open("rb") as file:
            told = file.read(_MOST_FILE + 1)
    except OSError as failure:
        raise UsageError(f"plan: cannot read {given!r}: {failure.strerror}", field="plan") from failure
    return tunnel.plans.add(told).id
