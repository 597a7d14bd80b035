"""``windtunnel doctor``."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import colour, json_text, table
from windtunnel.core.result import Level

if TYPE_CHECKING:
    from windtunnel.engine.doctor import Finding
    from windtunnel.sandbox.selfcheck import Row


def add(commands: Any) -> None:  # noqa: ANN401
    """Its arguments."""
    made = commands.add_parser("doctor", help="what this machine can enforce, and what to install for more")
    made.add_argument("--self-check", action="store_true", help="attack our own sandbox and tell what held")
    made.add_argument("--level", choices=[str(level) for level in Level], help="which walls to attack")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=act)


def act(chosen: argparse.Namespace) -> int:
    """Examine; with --self-check, attack as well. 0 when the process level is ready and every attack was held."""
    if chosen.self_check:
        return _self_check(chosen)
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.engine.doctor import examine  # noqa: PLC0415

    findings = examine(config.load().cache_dir)
    if chosen.json:
        print(json_text(findings))
    else:
        rows = [[finding.level, finding.name, _mark(finding), finding.found, finding.remedy] for finding in findings]
        print(table(rows, head=["level", "control", "ready", "found", "to have it or more"]))
    return 0 if all(finding.ready for finding in findings if finding.needed) else 1


def _mark(finding: Finding) -> str:
    return "yes" if finding.ready else "NO" if finding.needed else "no"


def _self_check(chosen: argparse.Namespace) -> int:
    from windtunnel.sandbox.selfcheck import run_selfcheck  # noqa: PLC0415
    from windtunnel.testing import python_maker  # noqa: PLC0415
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    def progress(row: Row) -> None:
        if sys.stderr.isatty():
            print(f"\r\x1b[K{row.row} {row.title}"[:100], end="", file=sys.stderr, flush=True)

    with Tunnel(level=chosen.level, pool_size=0) as tunnel:
        sandbox = tunnel.rig.sandbox
        known: dict[str, str] = getattr(sandbox, "known_exceptions", dict)()
        report = run_selfcheck(sandbox, make_job=python_maker(), exceptions=known, progress=progress)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    if chosen.json:
        print(json_text(report.as_dict()))
    else:
        print(report.table())
        print(colour("all held", "green") if report.held else colour("NOT ALL HELD", "red"))
    return 0 if report.held else 1
