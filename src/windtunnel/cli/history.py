"""``windtunnel history``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import json_text, seconds, size, table
from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from windtunnel.store.history import SqliteHistory


def add(commands: Any) -> None:  # noqa: ANN401
    """Its arguments."""
    made = commands.add_parser("history", help="past runs, newest first")
    made.add_argument("id", nargs="?", help="one run, whole")
    made.add_argument("-n", "--limit", type=int, default=20, help="how many (default 20)")
    made.add_argument("--prune", action="store_true", help="forget all but --keep runs or --days days")
    made.add_argument("--keep", type=int, metavar="N", help="with --prune: how many of the newest runs stay")
    made.add_argument("--days", type=float, metavar="N", help="with --prune: forget what is older")
    made.add_argument("--export", action="store_true", help="every run as a line of JSON")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=act)


def act(chosen: argparse.Namespace) -> int:
    """Show, export or prune."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.store.history import SqliteHistory  # noqa: PLC0415

    history = SqliteHistory(config.load().state_dir / "history.db")
    try:
        if chosen.prune:
            return _prune(history, chosen)
        if chosen.export:
            history.export(sys.stdout)
        elif chosen.id:
            _show(history, chosen.id)
        else:
            _list(history, chosen)
    finally:
        history.close()
    return 0


def _prune(history: SqliteHistory, chosen: argparse.Namespace) -> int:
    if chosen.keep is None and chosen.days is None:
        raise UsageError("--prune: say what to keep, by --keep N runs or --days N", field="--prune")
    count = history.prune(keep=chosen.keep, days=chosen.days)
    print(json_text({"forgotten": count}) if chosen.json else f"{count} runs forgotten")
    return 0


def _show(history: SqliteHistory, name: str) -> None:
    record = history.get(name) or next((row for row in history.recent(1000) if str(row["id"]).startswith(name)), None)
    if record is None:
        raise UsageError(f"id: no run {name!r} (windtunnel history lists them)", field="id")
    print(json_text(record))


def _list(history: SqliteHistory, chosen: argparse.Namespace) -> None:
    records = history.recent(chosen.limit)
    if chosen.json:
        print(json_text(records))
        return
    print(table([_row(record) for record in records],
                head=["id", "when", "language", "level", "ended", "code", "took", "memory"]))


def _row(record: Mapping[str, Any]) -> list[str]:
    return [
        str(record["id"])[:12], str(record["timestamp"])[:19].replace("T", " "), str(record["language"]),
        str(record["level"]), str(record["reason"]), str(record["exit_code"]), seconds(record["execution_time"]),
        size(record["usage"].get("memory_peak_bytes"))]
