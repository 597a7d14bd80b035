"""``windtunnel receipt``: what a signed statement of a trial says, and whether it is one."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.audit_log import trail
from windtunnel.cli.audit_proof import add_keys, read, trusted
from windtunnel.cli.render import clean, colour, json_text

if TYPE_CHECKING:
    from windtunnel.engine.receipt import Receipt


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = commands.add_parser("receipt", help="signed statements of trials (windtunnel try --receipt FILE makes one)")
    acts = made.add_subparsers(dest="receipt", metavar="ACT", required=True, help="what to do with one")
    for name, words in (("verify", "check who signed it, and that it is about the change at hand"),
                        ("show", "all that it says, once its signature was checked")):
        made = acts.add_parser(name, help=words)
        made.add_argument("file", metavar="FILE", help="the receipt; - for standard input")
        made.add_argument("--patch", metavar="PATCH", help="it must be about this change")
        made.add_argument("--project", default=".", metavar="FOLDER",
                          help="with --patch: the project that the patch applies to (default: the current folder)")
        add_keys(made)
        made.set_defaults(act=act, whole=name == "show")


def act(chosen: argparse.Namespace) -> int:
    """Check it, and say what it says."""
    from windtunnel.engine.receipt import check_receipt  # noqa: PLC0415 -- each command loads only what it uses

    keys = trusted(chosen.key) or trail().keys.public()
    receipt = check_receipt(read(chosen.file), keys, changes=_changes(chosen))
    if chosen.whole:
        print(json_text(receipt.statement))
    elif chosen.json:
        print(json_text({"success": True, **{name: getattr(receipt, name) for name in (
            "signer", "trial", "change", "tree", "verdict", "time")}}))
    else:
        _tell(receipt)
    return 0


def _tell(receipt: Receipt) -> None:
    shade = "green" if receipt.verdict == "good" else "red"
    print(f"{colour('signed', 'green')} by {clean(receipt.signer)}")
    print(f"verdict {colour(clean(receipt.verdict), shade)}, at {clean(receipt.time)}, trial {clean(receipt.trial)}")
    print(f"change  {clean(receipt.change)}\ntree    {clean(receipt.tree)}")


def _changes(chosen: argparse.Namespace) -> Any:  # noqa: ANN401 -- a ChangeSet
    if chosen.patch is None:
        return None
    from windtunnel.workspace.changes import check_changes  # noqa: PLC0415
    from windtunnel.workspace.patch import read_patch  # noqa: PLC0415

    project = Path(chosen.project).resolve()
    return check_changes(read_patch(read(chosen.patch).encode("utf-8", "surrogateescape"), project=project),
                         project=project)
