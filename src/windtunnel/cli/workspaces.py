"""``windtunnel workspaces``: copies of projects that are kept, and what is done in them."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import clean, json_text, size, table, tell
from windtunnel.core.errors import UsageError
from windtunnel.core.result import Level

if TYPE_CHECKING:
    from windtunnel.core.workspace import Workspace
    from windtunnel.tunnel import Tunnel

_MOST_INPUT = 64 * 1024**2


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse has no public name for it
    """Its arguments; without any, the list."""
    made = commands.add_parser(
        "workspaces", help="copies of projects that are kept: make, run in, compare, take over, remove",
        description="Copies of projects that programs and agents may change. Programs run over a copy in a sandbox; "
        "what they leave becomes part of it. Nothing reaches the project itself before you promote it.")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_list)
    acts = made.add_subparsers(dest="workspaces", metavar="ACT", help="what to do (default: list)")
    _one(acts, "list", _list, "yours, with what they use", named=False)
    begun = _one(acts, "create", _create, "from a folder, a git address or, without SOURCE, from nothing", named=False)
    begun.add_argument("source", nargs="?", metavar="SOURCE", help="a folder, or an address that git knows")
    begun.add_argument("--name", default="", metavar="NAME", help="by which you call it (default: its id)")
    begun.add_argument("--commit", default="", metavar="COMMIT", help="a commit, branch or tag of the repository")
    begun.add_argument("--idle", metavar="SPAN", help="removed when nobody used it for so long (default 24h)")
    begun.add_argument("--life", metavar="SPAN", help="removed so long after it was made (default 7d)")
    _add_exec(acts)
    read = _one(acts, "read", _read, "print one file")
    read.add_argument("path", metavar="PATH", help="below the workspace")
    written = _one(acts, "write", _write, "make or replace one file, from FILE or standard input")
    written.add_argument("path", metavar="PATH", help="below the workspace")
    written.add_argument("file", nargs="?", default="-", metavar="FILE", help="its content (default: standard input)")
    removed = _one(acts, "delete", _delete, "remove one file or folder")
    removed.add_argument("path", metavar="PATH", help="below the workspace")
    files = _one(acts, "files", _files, "what a folder holds")
    files.add_argument("folder", nargs="?", default="", metavar="FOLDER", help="below the workspace")
    compared = _one(acts, "diff", _diff, "what is different from its beginning, or from a snapshot, as a patch")
    compared.add_argument("--since", default="", metavar="SNAPSHOT", help="compare with this one")
    kept = _one(acts, "snapshot", _snapshot, "keep its files as they are now")
    kept.add_argument("snapshot", nargs="?", default="", metavar="SNAPSHOT", help="its name (default: the time)")
    back = _one(acts, "restore", _restore, "its files as they were at a snapshot")
    back.add_argument("snapshot", metavar="SNAPSHOT", help="its name; beginning is the first")
    forked = _one(acts, "fork", _fork, "another workspace with the same files")
    forked.add_argument("new", nargs="?", default="", metavar="NEW", help="its name (default: its id)")
    taken = _one(acts, "promote", _promote, "write what is different into the project; windtunnel undo takes it back")
    taken.add_argument("--project", metavar="PATH", help="another folder than the one it came from")
    _one(acts, "destroy", _destroy, "remove it with all its snapshots")


def _one(acts: Any, name: str, act: Any, words: str, *, named: bool = True) -> Any:  # noqa: ANN401
    made = acts.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
    if named:
        made.add_argument("workspace", metavar="WORKSPACE", help="its name or id")
    made.add_argument("--json", action="store_true", default=argparse.SUPPRESS, help="as JSON")
    made.set_defaults(act=act)
    return made


def _add_exec(acts: Any) -> None:  # noqa: ANN401
    made = _one(acts, "exec", _exec, "run a command over it, in a sandbox; its exit code is the command's")
    made.add_argument("command_line", nargs="+", metavar="COMMAND",
                      help="a program and its arguments after --, or one text for the shell")
    made.add_argument("--folder", default="", metavar="FOLDER", help="where it starts, below the workspace")
    made.add_argument("--env", action="append", default=[], metavar="NAME=VALUE", help="may be repeated")
    made.add_argument("--timeout", type=float, metavar="SECONDS", help="wall time (default 600)")
    made.add_argument("--allow-host", action="append", default=[], metavar="HOST", help="may be repeated")
    made.add_argument("--network", action="store_true", help="all that this machine reaches")
    made.add_argument("--keep", choices=("always", "success", "never"), default="always",
                      help="when what it leaves becomes part of the workspace (default always)")
    made.add_argument("--level", choices=[str(level) for level in Level], help="the walls to use")


def _tunnel(level: str | None = None) -> Tunnel:
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415 -- each command loads only what it uses

    return Tunnel(pool_size=0, tell=tell, level=level)


def _list(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        found = tunnel.workspaces.list()
    if chosen.json:
        print(json_text(found))
    elif not found:
        print("none (windtunnel workspaces create PATH makes one)")
    else:
        print(table([_row(one) for one in found],
                    head=["name", "from", "used", "files", "disk", "running", "snapshots"]))
    return 0


def _row(one: Workspace) -> list[str]:
    return [one.name, one.source or "-", f"{one.used:%Y-%m-%d %H:%M}", str(one.files), size(one.disk_bytes),
            str(one.running), str(len(one.snapshots))]


def _create(chosen: argparse.Namespace) -> int:
    from windtunnel.core.span import parse_span  # noqa: PLC0415

    idle, life = (None if text is None else parse_span(text, field=field).seconds
                  for text, field in ((chosen.idle, "--idle"), (chosen.life, "--life")))
    with _tunnel() as tunnel:
        made = tunnel.workspaces.create(chosen.source, name=chosen.name, commit=chosen.commit, idle_seconds=idle,
                                        life_seconds=life)
    _told(chosen, made, f"{made.name}: {made.files} files"
          f"{f' of {clean(made.source)}' if made.source else ''}{f' at {made.commit[:12]}' if made.commit else ''}")
    return 0


def _told(chosen: argparse.Namespace, value: object, text: str) -> None:
    print(json_text(value) if chosen.json else text)


def _exec(chosen: argparse.Namespace) -> int:
    from windtunnel.cli.trial_options import env_of  # noqa: PLC0415

    words: list[str] = chosen.command_line
    with _tunnel(chosen.level) as tunnel:
        result = tunnel.workspaces.execute(
            chosen.workspace, words[0] if len(words) == 1 else words, folder=chosen.folder, env=env_of(chosen.env),
            timeout=chosen.timeout, allow_hosts=tuple(chosen.allow_host), network=chosen.network, keep=chosen.keep,
            on_output=None if chosen.json else _pass_on)
    if chosen.json:
        print(json_text(result))
    else:
        if result.error_message and not result.stderr:
            tell(result.error_message)
        if lost := result.enforced.get("not kept"):
            tell(lost)
    return result.exit_code


def _pass_on(stream: str, data: bytes) -> None:
    out = sys.stdout if stream == "stdout" else sys.stderr
    out.buffer.write(data)
    out.flush()


def _read(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        data = tunnel.workspaces.read(chosen.workspace, chosen.path)
    if chosen.json:
        print(json_text({"path": chosen.path, "content": data.decode("utf-8", "replace"), "bytes": len(data)}))
    else:
        sys.stdout.buffer.write(data)
    return 0


def _write(chosen: argparse.Namespace) -> int:
    try:
        if chosen.file == "-":
            data = sys.stdin.buffer.read(_MOST_INPUT + 1)
        else:
            with Path(chosen.file).open("rb") as file:
                data = file.read(_MOST_INPUT + 1)
    except OSError as failure:
        raise UsageError(f"file: cannot read {chosen.file!r}: {failure.strerror}", field="file") from failure
    with _tunnel() as tunnel:
        tunnel.workspaces.write(chosen.workspace, chosen.path, data,
                                executable=None if chosen.file == "-" else os.access(chosen.file, os.X_OK))
    _told(chosen, {"path": chosen.path, "bytes": len(data)}, f"{chosen.path}: {len(data)} bytes")
    return 0


def _delete(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        tunnel.workspaces.delete(chosen.workspace, chosen.path)
    _told(chosen, {"deleted": chosen.path}, f"{clean(chosen.path)}: deleted")
    return 0


def _files(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        found = tunnel.workspaces.files(chosen.workspace, chosen.folder)
    if chosen.json:
        print(json_text(found))
    else:
        marks = {"folder": "/", "link": "@", "file": ""}
        for one in found:
            print(f"{clean(one.path)}{marks[one.kind]}")
    return 0


def _diff(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        patch = tunnel.workspaces.diff(chosen.workspace, since=chosen.since)
    if chosen.json:
        print(json_text({"patch": patch.decode("utf-8", "replace")}))
    else:
        sys.stdout.buffer.write(patch)
    return 0


def _snapshot(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        made = tunnel.workspaces.snapshot(chosen.workspace, chosen.snapshot)
    _told(chosen, made, f"{made.name}: {made.files} files")
    return 0


def _restore(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        found = tunnel.workspaces.restore(chosen.workspace, chosen.snapshot)
    _told(chosen, found, f"{found.name}: as at {chosen.snapshot}, {found.files} files")
    return 0


def _fork(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        made = tunnel.workspaces.fork(chosen.workspace, chosen.new)
    _told(chosen, made, f"{made.name}: {made.files} files, forked from {chosen.workspace}")
    return 0


def _promote(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        entry = tunnel.workspaces.promote(chosen.workspace, project=chosen.project)
    _told(chosen, {"entry": entry}, f"written; windtunnel undo takes it back ({entry})")
    return 0


def _destroy(chosen: argparse.Namespace) -> int:
    with _tunnel() as tunnel:
        tunnel.workspaces.destroy(chosen.workspace)
    _told(chosen, {"destroyed": chosen.workspace}, f"{clean(chosen.workspace)}: removed")
    return 0
