"""``windtunnel serve``: the HTTP interface, and MCP over HTTP beside it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import tell
from windtunnel.core.errors import UsageError
from windtunnel.core.result import Level

if TYPE_CHECKING:
    from windtunnel.serve.desk import Desk
    from windtunnel.tunnel import Tunnel

_PORT = 8765
_PACKAGES = ("mcp", "pydantic", "starlette", "uvicorn")


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = commands.add_parser(
        "serve", help="the HTTP interface and MCP over HTTP, for agents and programs",
        description="Serve the tools over HTTP (/v1/tools, /openapi.json) and MCP (/mcp). Listens on loopback unless "
        "told otherwise, and then only where there are keys (windtunnel keys create).")
    made.add_argument("--host", default="127.0.0.1", help="where to listen (default %(default)s)")
    made.add_argument("--port", type=int, default=_PORT, metavar="N", help="0 takes a free one (default %(default)s)")
    made.add_argument("--allow-host", action="append", default=[], metavar="NAME",
                      help="a name by which clients may call us, beside those of loopback; may be repeated")
    made.add_argument("--allow-origin", action="append", default=[], metavar="URL",
                      help="a web page's origin that may call us; may be repeated")
    made.add_argument("--no-mcp", action="store_true", help="without /mcp")
    limits = made.add_argument_group("how much a caller may ask for")
    limits.add_argument("--rate", type=float, default=200.0, metavar="N", help="calls a second of one key (200)")
    limits.add_argument("--burst", type=float, default=1000.0, metavar="N", help="at once (1000)")
    limits.add_argument("--per-day", type=int, metavar="N", help="calls of one key in a day (default: any number)")
    limits.add_argument("--threads", type=int, default=64, metavar="N", help="calls that run at once (default 64)")
    made.add_argument("--json", action="store_true", help="each request as a line of JSON on standard error")
    add_common(made)
    made.set_defaults(act=act, interrupted="ended")


def add_common(made: argparse.ArgumentParser) -> None:
    """What both servers take."""
    made.add_argument("--root", action="append", default=[], metavar="FOLDER",
                      help="projects below it may be named in requests; may be repeated (default: the current folder "
                      "over stdio and for admins, none for others)")
    made.add_argument("--auth-file", metavar="FILE", help="users of a sandbox_auth.json; their keys are kept by hashes")
    made.add_argument("--level", choices=[str(level) for level in Level], help="the walls to use")
    made.add_argument("--min-isolation", choices=[str(level) for level in Level], help="below this nothing runs")
    made.add_argument("--conformance-fixtures", action="store_true",
                      help="also the tools that the conformance suite of MCP asks for")


def tunnel_of(chosen: argparse.Namespace) -> Tunnel:
    """As it was asked for, and as the described configuration says; nothing is begun where a package is missing."""
    import importlib.util  # noqa: PLC0415 -- each command loads only what it uses
    import logging  # noqa: PLC0415

    from windtunnel.config.described import load_described  # noqa: PLC0415
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        raise UsageError(f"{chosen.command}: not installed: {', '.join(missing)} (pip install 'windtunnel[server]')")
    described = chosen.described = load_described()
    logging.basicConfig(level=described.log_level if described.log_level != "INFO" else "ERROR")
    for line in described.notes:
        tell(line)
    return Tunnel(described.settings, level=chosen.level or described.level, min_isolation=chosen.min_isolation,
                  tell=tell)


def desk_of(chosen: argparse.Namespace, tunnel: Tunnel) -> Desk:
    """What the faces share."""
    from windtunnel.serve.desk import Desk, Terms  # noqa: PLC0415
    from windtunnel.tools.places import Places  # noqa: PLC0415
    from windtunnel.tools.table import TABLE  # noqa: PLC0415

    for root in chosen.root:
        if not Path(root).is_dir():
            raise UsageError(f"--root: {root!r} is not a folder", field="--root")
    more: dict[str, Any] = {"hosts": chosen.described.allowed_hosts, "tasks": chosen.described.concurrent_tasks}
    if chosen.auth_file is not None:
        read = tunnel.keys.adopt(Path(chosen.auth_file))
        for line in read.warnings:
            tell(f"warning: {line}")
        more |= {"session_hours": read.session_timeout_hours, "most_sessions": read.max_concurrent_sessions}
    more |= {name: getattr(chosen, name) for name in ("rate", "burst", "per_day") if hasattr(chosen, name)}
    tools = dict(TABLE)
    if chosen.conformance_fixtures:
        from windtunnel.serve.mcp_fixture_rows import ROWS  # noqa: PLC0415

        tools |= {row.name: row for row in ROWS}
    places = Places(roots=tuple(Path(root).resolve() for root in chosen.root), own=(Path.cwd(),))
    return Desk(tunnel, places=places, terms=Terms(**more), tools=tools)


def act(chosen: argparse.Namespace) -> int:
    """Until it is interrupted."""
    if chosen.rate <= 0 or chosen.burst < 1 or not 1 <= chosen.threads <= 1000:  # noqa: PLR2004
        raise UsageError("--rate, --burst, --threads: numbers above 0 (threads up to 1000)", field="--rate")
    with tunnel_of(chosen) as tunnel:
        desk = desk_of(chosen, tunnel)
        try:
            _serve(chosen, desk)
        finally:
            desk.close()
    return 0


def _serve(chosen: argparse.Namespace, desk: Desk) -> None:
    from windtunnel.serve.crossing import Crossing  # noqa: PLC0415
    from windtunnel.serve.http_app import json_log, make_app  # noqa: PLC0415
    from windtunnel.serve.http_guard import Doors  # noqa: PLC0415
    from windtunnel.serve.http_server import check_bind, listen, make_server  # noqa: PLC0415

    keys = desk.keys.any()
    check_bind(chosen.host, keys=keys)
    doors = Doors(hosts=tuple(name.lower() for name in chosen.allow_host),
                  origins=tuple(one.lower() for one in chosen.allow_origin))
    app = make_app(desk, doors=doors, mcp=not chosen.no_mcp, log=json_log if chosen.json else None,
                   crossing=Crossing(threads=chosen.threads, each=max(1, chosen.threads * 3 // 4)),
                   fixtures=chosen.conformance_fixtures)
    listening = listen(chosen.host, chosen.port)
    port = listening.getsockname()[1]
    told = "with keys" if keys else "open to this machine, because there are no keys (windtunnel keys create)"

    def ready() -> None:
        tell(f"listening on http://{chosen.host}:{port} ({told}); ctrl-c ends it")

    make_server(app, ready=ready).run(sockets=[listening])
