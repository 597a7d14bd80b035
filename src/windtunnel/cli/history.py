"""``windtunnel history``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from windtunnel.cli.render import json_text, seconds, size, table, tell
from windtunnel.core.errors import UsageError

if TYPE_CHECKING:
    from windtunnel.store.history import SqliteHistory

_HEAD_RUNS = ["id", "when", "language", "level", "ended", "code", "took", "memory"]
_HEAD_TRIALS = ["id", "when", "act", "verdict", "files", "tests", "took", "project"]
_MOST_SHORT = 1000


def add(commands: Any) -> None:  # noqa: ANN401
    """Its arguments."""
    made = commands.add_parser("history", help="past runs and trials, newest first")
    made.add_argument("id", nargs="?", help="one run or trial, whole")
    made.add_argument("-n", "--limit", type=int, default=20, help="how many of each (default 20)")
    made.add_argument("--only", choices=("runs", "trials"), help="these alone")
    made.add_argument("--prune", action="store_true", help="forget all but --keep of each or --days days")
    made.add_argument("--keep", type=int, metavar="N", help="with --prune: how many of the newest of each stay")
    made.add_argument("--days", type=float, metavar="N", help="with --prune: forget what is older")
    made.add_argument("--export", action="store_true", help="each of all as a line of JSON")
    made.add_argument("--json", action="store_true", help="as JSON, runs and trials in one list, by time")
    made.set_defaults(act=act)


def act(chosen: argparse.Namespace) -> int:
    """Show, export or prune."""
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.store.history import SqliteHistory  # noqa: PLC0415

    history = SqliteHistory(config.load().state_dir / "history.db")
    try:
        if chosen.prune:
            return _prune(chosen)
        if chosen.export:
            history.export(sys.stdout)
        elif chosen.id:
            _show(history, chosen.id)
        else:
            _list(history, chosen)
    finally:
        history.close()
    return 0


def _prune(chosen: argparse.Namespace) -> int:
    if chosen.keep is None and chosen.days is None:
        raise UsageError("--prune: say what to keep, by --keep N runs or --days N", field="--prune")
    from windtunnel.tunnel import Tunnel  # noqa: PLC0415

    with Tunnel(pool_size=0, tell=tell) as tunnel:
        count = tunnel.prune_history(keep=chosen.keep, days=chosen.days)
    print(json_text({"forgotten": count}) if chosen.json else f"{count} runs and trials forgotten")
    return 0


def _show(history: SqliteHistory, name: str) -> None:
    latest = (row for rows in (history.recent(_MOST_SHORT), history.trials(_MOST_SHORT)) for row in rows)
    record = history.get(name) or history.trial(name) or next(
        (row for row in latest if str(row["id"]).startswith(name)), None)
    if record is None:
        raise UsageError(f"id: no run or trial {name!r} (windtunnel history lists them)", field="id")
    print(json_text(record))


def _list(history: SqliteHistory, chosen: argparse.Namespace) -> None:
    runs = [] if chosen.only == "trials" else history.recent(chosen.limit)
    trials = [] if chosen.only == "runs" else history.trials(chosen.limit)
    if chosen.json:
        print(json_text(sorted((*runs, *trials), key=lambda record: str(record["timestamp"]), reverse=True)))
        return
    shown = [table([row(record) for record in records], head=head) for records, row, head in (
        (runs, _run_row, _HEAD_RUNS), (trials, _trial_row, _HEAD_TRIALS)) if records]
    print("\n\n".join(shown) or table([], head=_HEAD_TRIALS if chosen.only == "trials" else _HEAD_RUNS))


def _run_row(record: Mapping[str, Any]) -> list[str]:
    return [
        *_named(record), str(record["language"]), str(record["level"]), str(record["reason"]), str(record["exit_code"]),
        seconds(record["execution_time"]), size(record["usage"].get("memory_peak_bytes"))]


def _trial_row(record: Mapping[str, Any]) -> list[str]:
    counts = record["counts"]
    return [
        *_named(record), str(record["verb"]), str(record["verdict"]), str(counts.get("files", "-")), _tests(counts),
        seconds(record["execution_time"]), str(record["project"])]


def _named(record: Mapping[str, Any]) -> list[str]:
    return [str(record["id"])[:12], str(record["timestamp"])[:19].replace("T", " ")]


def _tests(counts: Mapping[str, int]) -> str:
    """``3 of 4 passed, 1 broken``; of a race, how many of its candidates are good."""
    if "candidates" in counts:
        return f"{counts['good']} of {counts['candidates']} candidates good"
    if "tests" not in counts:
        return "-"
    changed = [f"{counts[name]} {name}" for name in ("fixed", "broken", "new and failing", "vanished", "silenced")
               if counts.get(name)]
    return ", ".join([f"{counts['passed']} of {counts['tests']} passed", *changed])
