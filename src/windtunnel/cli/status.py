"""``windtunnel status``: what there is here and how it goes."""

from __future__ import annotations

import argparse
from typing import Any

from windtunnel.cli.render import colour, json_text, size, tell


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = commands.add_parser("status", help="versions, levels ready, keys, jobs, workspaces and resource use")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=act)


def act(chosen: argparse.Namespace) -> int:
    """Look, and say."""
    from windtunnel.store.jobs import JobShelf  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    with Tunnel(pool_size=0, tell=tell) as tunnel:
        found, keys = tunnel.status(), tunnel.keys.all()
        path = tunnel.settings.state_dir / "jobs.db"
        jobs = JobShelf(path).counts() if path.exists() else {}
        workspaces = getattr(tunnel, "workspaces", None)
        kept = len(workspaces.list()) if workspaces is not None else 0
    told: dict[str, Any] = {
        "versions": found.versions, "level": found.level, "levels": found.levels, "pool": found.pool,
        "cache": found.cache, "usage": found.usage, "keys": sum(key.revoked is None for key in keys), "jobs": jobs,
        "active_workspaces": kept}
    if chosen.json:
        print(json_text(told))
        return 0
    print("versions    " + ", ".join(f"{name} {version}" for name, version in found.versions.items()))
    print("levels      " + ", ".join(colour(f"{name} {'ready' if ready else 'not here'}", "green" if ready else "grey")
                                     for name, ready in found.levels.items()) + f"; runs get {found.level}")
    print(f"keys        {told['keys']}\nworkspaces  {kept}")
    print("jobs        " + (", ".join(f"{count} {state}" for state, count in jobs.items() if count) or "none"))
    usage = found.usage
    print(f"machine     load {usage['load']}, {usage['processors']} processors, "
          f"{size(usage['disk_free_bytes'])} free")  # type: ignore[arg-type]  # a number of bytes
    return 0
