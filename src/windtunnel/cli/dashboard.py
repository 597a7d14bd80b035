"""``--dashboard-port``: a run of cycles can be watched over HTTP while it goes on, from this machine alone."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from windtunnel.cli.metrics import admitting, check_port
from windtunnel.cli.render import tell
from windtunnel.core.errors import NotFound, UsageError

if TYPE_CHECKING:
    from windtunnel.engine.recovery.exposing import Pages
    from windtunnel.store.runs import RunStore
    from windtunnel.tunnel import Tunnel

OPTION, VARIABLE = "--dashboard-port", "AUTO_DASHBOARD_PORT"
_METRIC = "/metrics/"


def add_option(made: argparse.ArgumentParser) -> None:
    """To a command that runs cycles."""
    made.add_argument(OPTION, type=int, default=None, metavar="N",
                      help=f"serve /roi, /metrics/NAME and /metrics on this port of 127.0.0.1 while the run goes on; 0 "
                      f"takes a free one (default: {VARIABLE}, or none)")


def port_of(chosen: argparse.Namespace) -> int | None:
    """As the option says, else the environment; none where neither does."""
    if chosen.dashboard_port is not None:
        return check_port(chosen.dashboard_port, field=OPTION)
    told = os.environ.get(VARIABLE, "")
    if not told:
        return None
    if not (told.isascii() and told.isdigit() and len(told) < 10):  # noqa: PLR2004 -- far beyond any port
        raise UsageError(f"{VARIABLE}: {told[:40]!r} is not a number", field=VARIABLE)
    return check_port(int(told), field=VARIABLE)


@contextlib.contextmanager
def dashboard(tunnel: Tunnel, folder: str, *, port: int | None) -> Iterator[None]:
    """Serves the run in this folder for as long as it lasts; nothing without a port."""
    if port is None:
        yield
        return
    from windtunnel.engine.recovery.exposing import MetricsServer  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.serve.prometheus import Collector  # noqa: PLC0415
    from windtunnel.store.keys import Keys  # noqa: PLC0415
    from windtunnel.store.runs import NAME, RunStore  # noqa: PLC0415

    state = tunnel.settings.state_dir
    with (contextlib.closing(Collector(tunnel)) as collector, contextlib.closing(Keys(state / "keys.db")) as keys,
          contextlib.closing(RunStore(state / NAME)) as runs,
          MetricsServer(collector, port=port, admit=admitting(keys), pages=pages_of(runs, Path(folder))) as server):
        tell(f"dashboard: {server.url.removesuffix('/metrics')}/roi while the run goes on")
        yield


def pages_of(runs: RunStore, folder: Path) -> Pages:
    """``/roi`` and ``/metrics/NAME`` of one run."""
    from windtunnel.engine.recovery.journal import head_of  # noqa: PLC0415
    from windtunnel.serve.roi import plain_metric, plain_roi, series_in  # noqa: PLC0415

    def page(path: str) -> object:
        if path in ("/", "/roi"):
            return plain_roi(runs.get(head_of(folder).id), series_in(folder))
        if path.startswith(_METRIC):
            return plain_metric(runs.get(head_of(folder).id), unquote(path.removeprefix(_METRIC)), series_in(folder))
        raise NotFound("only /roi, /metrics/NAME and /metrics", field="path")

    return page
