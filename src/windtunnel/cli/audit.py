"""``windtunnel audit``: what was done, and the proof that nobody changed the record of it."""

from __future__ import annotations

from typing import Any

from windtunnel.cli import audit_keeping, audit_log, audit_proof, audit_report, audit_watch


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = commands.add_parser("audit", help="what was done, by whom, and the proof of it")
    acts = made.add_subparsers(dest="audit", metavar="ACT", required=True, help="what to do with it")
    audit_log.add(acts)
    audit_proof.add(acts)
    audit_watch.add(acts)
    audit_report.add(acts)
    audit_keeping.add(acts)


