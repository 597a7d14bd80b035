"""``windtunnel gate``: whether the tests would have noticed a change."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli import trial_options
from windtunnel.cli.render import json_text, tell
from windtunnel.core.errors import UsageError
from windtunnel.core.result import Level

if TYPE_CHECKING:
    from windtunnel.core.gate import GateResult

_NOT_GOOD, _FAILED = 1, 2
_PATIENCE_SECONDS = 5.0
"""Most verdicts are there by then, and nobody wants to read how they came about."""


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments."""
    made = commands.add_parser(
        "gate", help="would the tests have noticed this change?",
        description="Seed defects in the lines of a change, put its parts back, and see what its tests notice: 0 when "
        "it is good, 1 when it is not, 2 when nothing was judged or that cannot be told.")
    trial_options.add_change(made)
    trial_options.add_thresholds(made)
    judging = made.add_argument_group("how it is judged")
    judging.add_argument("--alternative", action="append", default=[], metavar="PATCH",
                         help="another patch for the same fault, to be compared with this one; may be repeated")
    judging.add_argument("--test", metavar="COMMAND", help="the test command (default: the project's own)")
    judging.add_argument("--seconds", type=float, default=300.0, metavar="N", help="of the clock (default 300)")
    judging.add_argument("--compare", type=int, default=2, metavar="N",
                         help="fates that are found again in a fresh process (default 2)")
    judging.add_argument("--no-keep", action="store_true", help="take no verdict from before, and keep none")
    judging.add_argument("--jobs", type=int, metavar="N", help="how many at once (default: one for each processor)")
    judging.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
    judging.add_argument("--level", choices=[str(level) for level in Level], help="the walls to use")
    judging.add_argument("--min-isolation", choices=[str(level) for level in Level], help="below this nothing runs")
    judging.add_argument("--wait-approval", type=float, default=0.0, metavar="SECONDS",
                         help="where a policy asks for a person's yes, wait so long for it (default: not at all)")
    made.add_argument("--json", action="store_true", help="the whole result as JSON")
    made.set_defaults(act=act, failed=_FAILED)


def act(chosen: argparse.Namespace) -> int:
    """Judge; 0 when it is good, 1 when it is not, 2 when nobody knows."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    project = Path(chosen.project)
    if not project.is_dir():
        raise UsageError(f"project: {chosen.project!r} is not a folder", field="project")
    if chosen.jobs is not None and chosen.jobs < 1:
        raise UsageError(f"--jobs: {chosen.jobs} is not a number from 1 up", field="--jobs")
    thresholds = trial_options.thresholds_of(chosen)
    from windtunnel.cli.mutate_progress import Progress  # noqa: PLC0415

    with Tunnel(config.load(project=project), level=chosen.level, min_isolation=chosen.min_isolation, pool_size=0,
                tell=tell, approval_seconds=chosen.wait_approval) as tunnel, Progress(
                    seconds=chosen.seconds, quiet=chosen.json, words=("tries", "not noticed"),
                    patience=_PATIENCE_SECONDS) as progress:
        result = tunnel.gate(
            project, trial_options.changes_of(chosen, project), thresholds=thresholds, test=chosen.test,
            seconds=chosen.seconds, sample=chosen.compare, jobs=chosen.jobs, env=trial_options.env_of(chosen.env),
            tell=progress, keep=not chosen.no_keep,
            alternatives=[trial_options.read_patches([name], project=project) for name in chosen.alternative])
    _show(chosen, result)
    return _code(result)


def _code(result: GateResult) -> int:
    from windtunnel.core.gate import GateVerdict  # noqa: PLC0415

    return {GateVerdict.GOOD: 0, GateVerdict.NOT_GOOD: _NOT_GOOD}.get(result.verdict, _FAILED)


def _show(chosen: argparse.Namespace, result: GateResult) -> None:
    if chosen.json:
        from windtunnel.api.exports.gate import plain_gate  # noqa: PLC0415

        print(json_text(plain_gate(result)))
        return
    import sys  # noqa: PLC0415

    from windtunnel.cli.gate_text import gate_page  # noqa: PLC0415
    from windtunnel.cli.render import colour  # noqa: PLC0415

    for text, shade in gate_page(result):
        print(colour(text, shade, file=sys.stdout) if shade else text)
