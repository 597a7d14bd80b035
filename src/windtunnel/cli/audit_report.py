"""``windtunnel audit report``: evidence of a span for somebody who was not there, and its check."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.audit_log import moment, trail
from windtunnel.cli.audit_proof import notes, read, trusted
from windtunnel.cli.render import clean, colour, json_text
from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from windtunnel.engine.report.check import Checked
    from windtunnel.engine.report.summary import Wanted


def add(acts: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = acts.add_parser("report", help="an evidence pack of a span: a page to read, the records, and their proof")
    made.add_argument("--from", dest="since", metavar="TIME", help="a time (2026-01-31, 2026-01-31T12:00Z) or a span "
                      "(7d, 12w) before now (default: the first record)")
    made.add_argument("--to", dest="until", metavar="TIME", help="up to, and not with (default: now)")
    made.add_argument("--actor", default="", help="only of this actor; others stand in it by their headers alone")
    made.add_argument("--project", default="", metavar="FOLDER", help="only of this project; others as above")
    made.add_argument("--out", metavar="DIR|FILE.zip", help="a new folder, or a file that ends in .zip (default: "
                      "audit-report-FROM-TO.zip here)")
    made.add_argument("--receipt", action="append", default=[], metavar="FILE",
                      help="put the receipt of a trial of the span into it; may be repeated")
    made.add_argument("--against", action="append", default=[], metavar="CHECKPOINT",
                      help="hold the log against checkpoints kept elsewhere first, as verify does; may be repeated")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_report)


def _report(chosen: argparse.Namespace) -> int:
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.engine.record import user_name  # noqa: PLC0415
    from windtunnel.engine.report.pack import make_pack  # noqa: PLC0415

    wanted = _wanted(chosen)
    target = Path(chosen.out or f"audit-report-{wanted.since[:10] or 'begin'}-{wanted.until[:10]}.zip").absolute()
    outside = [note for place in chosen.against for note in notes(place)]
    made = make_pack(trail(), wanted, target, actor=config.load().actor or user_name(), outside=outside,
                     receipts=[read(path) for path in chosen.receipt])
    report: Any = made.report
    whole = report["verification"]["success"]
    if chosen.json:
        print(json_text({"success": whole, "pack": str(made.path), "manifest": made.manifest, "log": report["log"],
                         "records": report["content"]["records"], "verification": report["verification"]}))
    else:
        fault = report["verification"]["fault"]
        word = colour("whole", "green") if whole else f"{colour('bad', 'red')}: {clean(fault['message'])}"
        print(f"{made.path}: {report['content']['records']} records; the log is {word}")
        print(f"manifest sha256 {made.manifest}; check it with: windtunnel audit check PACK --key KEY")
    return 0 if whole else 1


def _wanted(chosen: argparse.Namespace) -> Wanted:
    from windtunnel.engine.report.summary import Wanted  # noqa: PLC0415

    since = moment(chosen.since, field="--from")
    until = moment(chosen.until or "0s", field="--to")
    if since >= until:
        raise UsageError(f"--from: {since} is not before --to, {until}", field="--from")
    # Acts name a project as it was given or as it was found, so both are meant.
    named = (chosen.project, str(Path(chosen.project).resolve())) if chosen.project else ()
    return Wanted(since=since, until=until, actor=chosen.actor, projects=tuple(dict.fromkeys(named)))


def check(chosen: argparse.Namespace) -> int:
    """``windtunnel audit check`` of a pack."""
    from windtunnel.engine.report.check import check_pack  # noqa: PLC0415

    keys = trusted(chosen.key) or trail().keys.public()
    against = [note for place in chosen.against for note in notes(place)]
    found = check_pack(Path(chosen.proof), keys, against=against)
    if chosen.json:
        print(json_text({"success": True, "signer": found.signer, "files": found.files, "agrees": found.agrees,
                         "records": found.report["content"]["records"], "span": found.report["span"],
                         "only": found.report["only"], "log": found.report["log"],
                         "verification": found.report["verification"], "not_checked": found.not_checked}))
    else:
        _tell(found)
    return 0


def _tell(found: Checked) -> None:
    report = found.report
    span, log = report["span"], report["log"]
    where = f"between records {log['begin']} and {log['stop'] - 1} of {log['size']}" if log["size"] else "of no records"
    print(f"{colour('proven', 'green')}: {report['content']['records']} records of {clean(report['origin'])} from "
          f"{clean(span['from'] or 'the first')} to {clean(span['to'] or 'the last')}, none left out {where}")
    print(f"signed by {clean(found.signer)}; {found.files} files, none changed; {found.agrees} of your checkpoints "
          "agree")
    if not report["verification"]["success"]:
        print(f"{colour('but', 'red')} the log was not whole: {clean(report['verification']['fault']['message'])}")
    for line in found.not_checked:
        print(f"not checked: {clean(line)}")
    for line in report["verification"]["cannot_show"]:
        print(f"cannot be shown: {clean(line)}")
