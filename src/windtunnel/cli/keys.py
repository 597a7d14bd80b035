"""``windtunnel keys``: who may use the servers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import clean, colour, error, json_text, table, tell
from windtunnel.core.keys import PERMISSIONS, ROLES, Key
from windtunnel.core.span import parse_span

if TYPE_CHECKING:
    from windtunnel.tunnel import Tunnel

_ONCE = "this is the only time that it is shown; only its hash is kept"


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = commands.add_parser("keys", help="who may use the servers: make, list, revoke and rotate keys")
    acts = made.add_subparsers(dest="keys", metavar="ACT", required=True, help="what to do")
    create = acts.add_parser("create", help="make a key; it is printed once")
    create.add_argument("--role", action="append", default=[], choices=list(ROLES), help="may be repeated")
    create.add_argument("--permission", action="append", default=[], choices=list(PERMISSIONS), metavar="NAME",
                        help=f"beside those of the roles; may be repeated ({', '.join(PERMISSIONS)})")
    create.add_argument("--user", metavar="NAME", help="in whose name it acts (default: that of its first role)")
    create.add_argument("--name", default="", metavar="WORDS", help="what it is for")
    create.add_argument("--expires", metavar="SPAN", help="good for so long, such as 12h or 30d (default: for ever)")
    create.add_argument("--per-day", type=int, metavar="N", help="calls in one day of UTC (default: any number)")
    create.set_defaults(act=_create)
    listed = acts.add_parser("list", help="all of them, newest first; none of their secrets")
    listed.set_defaults(act=_list)
    for name, words, act in (("revoke", "it opens nothing any more", _revoke),
                             ("rotate", "a new one in its place, which is printed once", _rotate)):
        made = acts.add_parser(name, help=words)
        made.add_argument("id", metavar="ID", help="of the key, as the list shows it")
        made.set_defaults(act=act)
    adopt = acts.add_parser("import", help="the users of a sandbox_auth.json, their keys kept by hashes")
    adopt.add_argument("file", metavar="FILE", help="must be readable by you alone")
    adopt.set_defaults(act=_import)
    for each in (create, listed, *(acts.choices[name] for name in ("revoke", "rotate", "import"))):
        each.add_argument("--json", action="store_true", help="as JSON")


def _tunnel() -> Tunnel:
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415 -- each command loads only what it uses

    return Tunnel(pool_size=0, tell=tell)


def _create(chosen: argparse.Namespace) -> int:
    if not chosen.role and not chosen.permission:
        error(f"--role: say what it may do, such as --role developer (roles: {', '.join(ROLES)})")
        return 2
    span = None if chosen.expires is None else parse_span(chosen.expires, field="--expires")
    user = chosen.user or (chosen.role[0] if chosen.role else "user")
    with _tunnel() as tunnel:
        made, told = tunnel.keys.create(user=user, roles=chosen.role, permissions=chosen.permission, name=chosen.name,
                                        expires=span, per_day=chosen.per_day)
    return _told_once(chosen, made, told)


def _rotate(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        made, told = tunnel.keys.rotate(chosen.id)
    return _told_once(chosen, made, told)


def _told_once(chosen: argparse.Namespace, made: Key, told: str) -> int:
    if chosen.json:
        print(json_text({"key": told, **_plain(made)}))
    else:
        print(told)
        tell(f"{made.id} for {made.user} ({', '.join(made.roles + made.permissions) or 'no permission'}): {_ONCE}")
    return 0


def _list(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        found = tunnel.keys.all()
    if chosen.json:
        print(json_text([_plain(one) for one in found]))
    elif not found:
        print("there are no keys yet (windtunnel keys create --role developer)")
    else:
        print(table([_row(one) for one in found], head=["id", "user", "may", "state", "last used", "for"]))
    return 0


def _revoke(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        key = tunnel.keys.revoke(chosen.id)
    print(json_text(_plain(key)) if chosen.json else f"{clean(key.id)} {colour('revoked', 'red')}")
    return 0


def _import(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        read = tunnel.keys.adopt(Path(chosen.file))
    for line in read.warnings:
        tell(f"warning: {line}")
    users = [user for user, _, _ in read.users]
    if chosen.json:
        print(json_text({"imported": users, "warnings": read.warnings}))
    else:
        print(f"{len(users)} kept by their hashes: {clean(', '.join(users))}; {clean(chosen.file)} is no longer needed")
    return 0


def _plain(key: Key) -> dict[str, object]:
    return {name: getattr(key, name) for name in (
        "id", "user", "roles", "permissions", "name", "made", "expires", "revoked", "used", "per_day")}


def _row(key: Key) -> list[str]:
    state = ("revoked" if key.revoked else "for ever" if key.expires is None
             else f"until {key.expires:%Y-%m-%d %H:%M}")
    used = f"{key.used:%Y-%m-%d %H:%M}" if key.used else "-"
    return [key.id, key.user, ", ".join(key.roles + key.permissions) or "-", state, used, key.name]
