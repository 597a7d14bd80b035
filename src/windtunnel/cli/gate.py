"""``windtunnel gate``: whether the tests would have noticed a change."""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli import trial_options
from windtunnel.cli.render import json_text, tell
from windtunnel.core.errors import UsageError
from windtunnel.core.result import Level

if TYPE_CHECKING:
    from windtunnel.core.gate import GateResult, Thresholds

_NOT_GOOD, _FAILED = 1, 2


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments."""
    made = commands.add_parser(
        "gate", help="would the tests have noticed this change?",
        description="Seed defects in the lines of a change, put its parts back, and see what its tests notice: 0 when "
        "it is good, 1 when it is not, 2 when nothing was judged or that cannot be told.")
    trial_options.add_change(made)
    add_thresholds(made)
    judging = made.add_argument_group("how it is judged")
    judging.add_argument("--test", metavar="COMMAND", help="the pytest command (default: the project's own)")
    judging.add_argument("--seconds", type=float, default=300.0, metavar="N", help="of the clock (default 300)")
    judging.add_argument("--compare", type=int, default=5, metavar="N",
                         help="fates that are found again in a fresh process (default 5)")
    judging.add_argument("--jobs", type=int, metavar="N", help="how many at once (default: one for each processor)")
    judging.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
    judging.add_argument("--level", choices=[str(level) for level in Level], help="the walls to use")
    judging.add_argument("--min-isolation", choices=[str(level) for level in Level], help="below this nothing runs")
    judging.add_argument("--wait-approval", type=float, default=0.0, metavar="SECONDS",
                         help="where a policy asks for a person's yes, wait so long for it (default: not at all)")
    made.add_argument("--json", action="store_true", help="the whole result as JSON")
    made.set_defaults(act=act, failed=_FAILED)


def add_thresholds(made: argparse.ArgumentParser) -> None:
    """What a change must reach."""
    group = made.add_argument_group("what the change must reach")
    group.add_argument("--least", type=float, metavar="SHARE",
                       help="of the seeded defects in its lines that tests must notice, from 0 to 1 (default 0.5)")
    group.add_argument("--most-survivors", type=int, metavar="N", help="how many of them may go unnoticed")
    group.add_argument("--allow-hollow", action="store_true",
                       help="a change that no test fails without, such as one that is to alter nothing, can be good")


def thresholds_of(chosen: argparse.Namespace, usual: Thresholds) -> Thresholds:
    """As asked for, on top of the usual ones."""
    asked: dict[str, Any] = {"least": chosen.least, "most_survivors": chosen.most_survivors,
                             "hollow": "allow" if chosen.allow_hollow else None}
    return replace(usual, **{name: value for name, value in asked.items() if value is not None})


def act(chosen: argparse.Namespace) -> int:
    """Judge; 0 when it is good, 1 when it is not, 2 when nobody knows."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.core.gate import Thresholds  # noqa: PLC0415
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    project = Path(chosen.project)
    if not project.is_dir():
        raise UsageError(f"project: {chosen.project!r} is not a folder", field="project")
    if chosen.jobs is not None and chosen.jobs < 1:
        raise UsageError(f"--jobs: {chosen.jobs} is not a number from 1 up", field="--jobs")
    thresholds = thresholds_of(chosen, Thresholds())
    with Tunnel(config.load(project=project), level=chosen.level, min_isolation=chosen.min_isolation, pool_size=0,
                tell=tell, approval_seconds=chosen.wait_approval) as tunnel:
        result = tunnel.gate(
            project, trial_options.changes_of(chosen, project), thresholds=thresholds, test=chosen.test,
            seconds=chosen.seconds, sample=chosen.compare, jobs=chosen.jobs, env=trial_options.env_of(chosen.env))
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
