"""``windtunnel approvals``: what a policy asks people, and what they say."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import clean, colour, json_text, table, tell
from windtunnel.core.approval import Approval, State

if TYPE_CHECKING:
    from windtunnel.tunnel import Tunnel

_COLOURS = {State.REQUESTED: "yellow", State.APPROVED: "green", State.DENIED: "red"}


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = commands.add_parser("approvals", help="what waits for a person, and the person's word")
    acts = made.add_subparsers(dest="approvals", metavar="ACT", required=True, help="what to do")
    listed = acts.add_parser("list", help="those that wait; newest first")
    listed.add_argument("--all", action="store_true", help="also those that were decided, used or are over their time")
    listed.add_argument("--json", action="store_true", help="as JSON")
    listed.set_defaults(act=_list)
    shown = acts.add_parser("show", help="one of them, whole: all that is to be done, contents by their hashes")
    shown.add_argument("id", metavar="ID", help="of the approval, or how it begins")
    shown.add_argument("--json", action="store_true", help="as JSON, which the text is too")
    shown.set_defaults(act=_show)
    for name, words in (("approve", "let it be done, once, as it was asked"), ("deny", "do not let it be done")):
        made = acts.add_parser(name, help=words)
        made.add_argument("id", metavar="ID", help="of the approval, or how it begins")
        made.add_argument("--note", default="", metavar="WORDS", help="why; it is kept")
        made.add_argument("--json", action="store_true", help="as JSON")
        made.set_defaults(act=_decide, approve=name == "approve")


def _tunnel() -> Tunnel:
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415 -- each command loads only what it uses

    return Tunnel(pool_size=0, tell=tell)


def _list(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        found = tunnel.approvals.all(None if chosen.all else State.REQUESTED)
    if chosen.json:
        print(json_text(found))
    elif not found:
        print("nothing was asked yet" if chosen.all else "nothing waits for an approval")
    else:
        print(table([_row(one) for one in found], head=["id", "state", "asked by", "expires", "what", "why"]))
    return 0


def _show(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        found, told = tunnel.approvals.get(chosen.id), tunnel.approvals.inputs(chosen.id)
    try:
        inputs = json.loads(told) if told else None
    except ValueError:  # it was too long to be kept whole
        inputs = {"cut": told}
    print(json_text({"approval": found, "what": inputs}))
    return 0


def _row(one: Approval) -> list[str]:
    return [one.id, str(one.state), one.requester, one.expires[:16].replace("T", " "), one.summary, one.reason]


def _decide(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        decided = tunnel.decide(chosen.id, approve=chosen.approve, note=chosen.note)
    if chosen.json:
        print(json_text(decided))
    else:
        word = colour(str(decided.state), _COLOURS.get(decided.state, "grey"))
        print(f"{decided.id} {word}: {clean(decided.summary)}, asked by {clean(decided.requester)}")
    return 0
