"""``windtunnel metrics``: figures for Prometheus."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import json_text, table, tell
from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from windtunnel.engine.recovery.exposing import Admit
    from windtunnel.store.keys import Keys

_PORT = 8001
_LAST_PORT = 65_535
_PERMISSION = "audit"


def add(commands: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = commands.add_parser(
        "metrics", help="counts of runs, trials and restarts for Prometheus",
        description="Serve figures about what ran here in the text format of Prometheus, at /metrics: restarts, runs "
        "and trials by outcome, durations, jobs, and what the newest scenario run measured. Listens on loopback unless "
        "told otherwise, and then only where there are keys; where there are, a scrape needs one that permits audit.")
    made.add_argument("--port", type=int, default=_PORT, metavar="N", help="0 takes a free one (default %(default)s)")
    made.add_argument("--address", default="127.0.0.1", help="where to listen (default %(default)s)")
    made.add_argument("--once", action="store_true", help="print the text and end")
    made.add_argument("--runs", action="store_true", help="list the scenario runs that are kept, newest first, and end")
    made.add_argument("--json", action="store_true", help="with --runs: as JSON")
    made.set_defaults(act=act, interrupted="ended")


def act(chosen: argparse.Namespace) -> int:
    """Until it is interrupted."""
    check_port(chosen.port, field="--port")
    if chosen.json and not chosen.runs:
        raise UsageError("--json: only --runs is told as JSON", field="--json")
    if chosen.runs:
        return _list(chosen)
    from windtunnel.core.exposition import exposition  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.serve.prometheus import Collector  # noqa: PLC0415
    from windtunnel.store.keys import Keys  # noqa: PLC0415
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    with Tunnel(pool_size=0, tell=tell) as tunnel:
        collector = Collector(tunnel)
        try:
            if chosen.once:
                print(exposition(collector()), end="")
            else:
                keys = Keys(tunnel.settings.state_dir / "keys.db")
                try:
                    _serve(chosen, collector, keys)
                finally:
                    keys.close()
        finally:
            collector.close()
    return 0


def check_port(port: int, *, field: str) -> int:
    """The port; ``UsageError`` where there is none of that number."""
    if not 0 <= port <= _LAST_PORT:
        raise UsageError(f"{field}: {port} is not from 0 to {_LAST_PORT}", field=field)
    return port


def _list(chosen: argparse.Namespace) -> int:
    from windtunnel import config  # noqa: PLC0415
    from windtunnel.store.runs import MOST_RUNS, NAME, RunStore  # noqa: PLC0415

    store = RunStore(config.load().state_dir / NAME)
    try:
        found = store.all(limit=MOST_RUNS) if Path(store.database.path).exists() else []
    finally:
        store.close()
    if chosen.json:
        print(json_text(found))
    elif found:
        print(table([[one.id, one.begun[:19], one.verb, one.outcome, str(one.cycles), one.folder] for one in found],
                    head=("run", "begun", "command", "outcome", "cycles", "folder")))
    else:
        print("no scenario run is kept here (windtunnel run-complete makes one)")
    return 0


def _serve(chosen: argparse.Namespace, collector: Any, keys: Keys) -> None:  # noqa: ANN401 -- loaded late
    from windtunnel.core.loopback import is_loopback  # noqa: PLC0415
    from windtunnel.engine.recovery.exposing import MetricsServer  # noqa: PLC0415

    needed = keys.any()
    admit = admitting(keys) if needed or is_loopback(chosen.address) else None
    with MetricsServer(collector, address=chosen.address, port=chosen.port, admit=admit) as server:
        told = f"with keys that permit {_PERMISSION}" if needed else "open to this machine, because there are no keys"
        tell(f"listening on {server.url} ({told}); ctrl-c ends it")
        threading.Event().wait()


def admitting(keys: Keys) -> Admit:
    """Whoever has a key that permits it; everybody of this machine while there are no keys."""
    from windtunnel.core.keys import KeyRefused  # noqa: PLC0415
    from windtunnel.store.keys import REFUSAL  # noqa: PLC0415

    def admit(key: str | None) -> None:
        if not keys.any():
            return
        if not key:
            raise KeyRefused(REFUSAL, field="key")
        keys.check(key).check(_PERMISSION)

    return admit
