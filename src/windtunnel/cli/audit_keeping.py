"""``windtunnel audit seal|retain|hold|keys``: keeping the log small, as long as it has to be, and its keys."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from windtunnel.cli.audit_log import add_query, query_of, trail
from windtunnel.cli.render import clean, json_text, size, table, tell
from windtunnel.core.errors import UsageError
from windtunnel.core.span import parse_span

if TYPE_CHECKING:
    from windtunnel.config import Settings


def add(acts: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Their arguments."""
    made = acts.add_parser("seal", help="move old records into compressed, signed segments; they are read as before")
    made.add_argument("--older", metavar="SPAN", help="records older than this (12h, 30d, 8w; default 30d, or "
                      "audit_seal_after of the configuration)")
    made.add_argument("--keep-live", type=int, metavar="N", help="never the last N records; alone, all before them")
    made.add_argument("--encrypt", action=argparse.BooleanOptionalAction, default=None,
                      help="with a key of the ring, made at the first time (default: as soon as there is one)")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_seal)
    made = acts.add_parser("retain", help="remove sealed records that need not be kept any longer; proofs still hold")
    made.add_argument("--older", metavar="SPAN", help="segments whose newest record is older than this (default: "
                      "audit_retention of the configuration, which it may not be less than)")
    made.add_argument("--dry-run", action="store_true", help="only say what would be removed, and what is held")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_retain)
    _add_hold(acts)
    made = acts.add_parser("keys", help="our public keys, the current one last")
    made.add_argument("do", nargs="?", choices=("list", "rotate", "chain"), default="list", help=(
        "list (default); rotate: make a new one, the others stay good; chain: the notes by which each vouches for the "
        "next"))
    made.add_argument("--encryption", action="store_true", help="the keys that encrypt segments instead, by their ids")
    made.add_argument("--rotate", action="store_true", help="the same as rotate")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_keys)


def _add_hold(acts: Any) -> None:  # noqa: ANN401 -- argparse's own
    made = acts.add_parser("hold", help="legal holds: records that nobody may redact or remove")
    parts = made.add_subparsers(dest="hold", metavar="ACT", required=True, help="what to do with them")
    made = parts.add_parser("add", help="lay one on the records that these options name, also on later ones; "
                            "without any on all")
    made.add_argument("name", help="what it is called: letters, digits and ._-")
    made.add_argument("--reason", required=True, metavar="WORDS", help="why; it is written down")
    add_query(made)
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_hold_add)
    made = parts.add_parser("list", help="those in force")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_hold_list)
    made = parts.add_parser("release", help="let go of what one holds")
    made.add_argument("name", help="which")
    made.add_argument("--reason", required=True, metavar="WORDS", help="why; it is written down")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_hold_release)


def _settings() -> tuple[Settings, str]:
    """The settings, and in whose name this is done."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.engine.record import user_name  # noqa: PLC0415

    settings = config.load()
    return settings, settings.actor or user_name()


def _seal(chosen: argparse.Namespace) -> int:
    from windtunnel.engine.audit_keeping import seal_records  # noqa: PLC0415

    settings, actor = _settings()
    older = parse_span(chosen.older, field="--older") if chosen.older else None
    if older is None and chosen.keep_live is None:
        older = settings.audit_seal_after
    made = seal_records(trail(), older=older, keep_live=chosen.keep_live, encrypt=chosen.encrypt, actor=actor,
                        tell=tell)
    if chosen.json:
        print(json_text(asdict(made)))
    elif not made.segments:
        print("nothing to seal")
    else:
        print(f"sealed: {made.records} records from {made.first} on, in {len(made.segments)} segments of "
              f"{size(made.stored_bytes)}, as record {made.record} says")
    return 0


def _retain(chosen: argparse.Namespace) -> int:
    from windtunnel.engine.audit_keeping import retain_records  # noqa: PLC0415

    settings, actor = _settings()
    older = parse_span(chosen.older, field="--older") if chosen.older else settings.audit_retention
    if older is None:
        raise UsageError("--older: say how old records must be (try 400d), or set audit_retention", field="--older")
    made = retain_records(trail(), older=older, at_least=settings.audit_retention, actor=actor, dry_run=chosen.dry_run,
                          tell=tell)
    if chosen.json:
        print(json_text({**asdict(made), "dry_run": chosen.dry_run}))
        return 0
    for one in made.held:
        print(f"held: records {one.first} to {one.last}, by {clean(one.hold)}")
    word = "to remove" if chosen.dry_run else "removed"
    told = ", ".join(f"{first} to {last}" for first, last in made.removed)
    print(f"{word}: {made.records} records ({told})" if told else f"{word}: nothing")
    if made.unsealed:
        print(f"records as old that were never sealed stay (windtunnel audit seal --older {older})")
    if made.blobs:
        print(f"removed: {made.blobs} contents that only they spoke of")
    if made.blobs_left:
        print("contents that only they spoke of stay until the next time: acts were under way")
    return 0


def _hold_add(chosen: argparse.Namespace) -> int:
    from windtunnel.store.audit.hold import add_hold  # noqa: PLC0415

    made = add_hold(trail().log, chosen.name, query_of(chosen), reason=chosen.reason, actor=_settings()[1])
    print(json_text({"hold": chosen.name, "record": made.seq}) if chosen.json else
          f"held: {clean(chosen.name)}, as record {made.seq} says")
    return 0


def _hold_list(chosen: argparse.Namespace) -> int:
    from windtunnel.store.audit.hold import holds  # noqa: PLC0415
    from windtunnel.store.audit.keeping_state import described, narrowed  # noqa: PLC0415

    found = holds(trail().log)
    if chosen.json:
        print(json_text([{"name": hold.name, "reason": hold.reason, "actor": hold.actor, "query": narrowed(hold.query)}
                         for hold in found]))
    else:
        rows = [[hold.name, hold.actor, described(hold), hold.reason] for hold in found]
        print(table(rows, head=["name", "laid by", "covers", "reason"]))
    return 0


def _hold_release(chosen: argparse.Namespace) -> int:
    from windtunnel.store.audit.hold import release_hold  # noqa: PLC0415

    made = release_hold(trail().log, chosen.name, reason=chosen.reason, actor=_settings()[1])
    print(json_text({"released": chosen.name, "record": made.seq}) if chosen.json else
          f"released: {clean(chosen.name)}, as record {made.seq} says")
    return 0


def _keys(chosen: argparse.Namespace) -> int:
    found = trail()
    if chosen.encryption and chosen.do == "chain":
        raise UsageError("chain: keys that encrypt vouch for nothing", field="chain")
    ring, encryption = found.keys, found.log.segments.encryption
    if chosen.rotate or chosen.do == "rotate":
        encryption.rotate() if chosen.encryption else ring.rotate()
    if chosen.encryption:
        words = encryption.ids()
    else:
        ring.current()
        words = ring.chain() if chosen.do == "chain" else [str(key) for key in ring.public()]
    print(json_text(words) if chosen.json else "\n".join(words))
    return 0
