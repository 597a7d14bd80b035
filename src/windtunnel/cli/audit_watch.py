"""``windtunnel audit watch``: what in the audit log is out of the ordinary, and telling people of it."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windtunnel.cli.audit_log import moment, trail
from windtunnel.cli.render import clean, colour, error, json_text, tell
from windtunnel.core.errors import UsageError
from windtunnel.core.plain import plain

if TYPE_CHECKING:
    from windtunnel.core.alert import Alert
    from windtunnel.engine.watch.reading import Watching
    from windtunnel.engine.watch.watch import Looked, Watch

_FOLLOW_SECONDS = 1.0
_COLOURS = {"low": "grey", "medium": "yellow", "high": "red"}
_ALERTS, _FAILED = 1, 2
_VARIABLE = "WINDTUNNEL_AUDIT_WATCH"
_CODES = """\
exit codes: 0 when there is nothing to tell; 1 when there are alerts, or when a destination has not taken one yet;
2 when the rules are wrong, or Windtunnel failed."""


def add(acts: Any) -> None:  # noqa: ANN401 -- argparse's own
    """Its arguments."""
    made = acts.add_parser(
        "watch", help="what is out of the ordinary in the log, and alerts about it", epilog=_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter)
    how = made.add_mutually_exclusive_group()
    how.add_argument("--once", action="store_true", help="look at what is new since the last look (so it is anyway)")
    how.add_argument("--follow", action="store_true", help="go on looking, until interrupted")
    how.add_argument("--list", action="store_true", help="the rules there are, and what they may be told")
    made.add_argument("--since", metavar="TIME", help="tell all that is known about records of this time or later "
                      "(24h, 7d, 2026-01-31), and deliver nothing about older ones")
    made.add_argument("--rules", metavar="FILE",
                      help="rules and destinations (default: audit_watch of the configuration)")
    made.add_argument("--json", action="store_true", help="as JSON; with --follow one line for each alert")
    made.set_defaults(act=_watch, failed=_FAILED, interrupted="interrupted")


def _watch(chosen: argparse.Namespace) -> int:
    if chosen.list:
        return _list(as_json=chosen.json)
    watch = _ready(chosen.rules)
    since = moment(chosen.since, field="--since")
    if chosen.follow:
        return _follow(watch, since, as_json=chosen.json)
    looked = watch.look(since=since)
    alerts = watch.store.since(since) if since else looked.alerts
    _tell(watch, looked, alerts, as_json=chosen.json)
    _say(looked)
    names = {one.name for one in watch.rules.destinations}
    waits = any(one.destination in names for one in looked.owed)
    if not alerts and not waits and not chosen.json:
        tell(f"nothing out of the ordinary; records looked at: {looked.records}")
    return _ALERTS if alerts or waits else 0


def _tell(watch: Watch, looked: Looked, alerts: Sequence[Alert], *, as_json: bool) -> None:
    """The answer; where alerts came to standard output already, line by line, the rest of it is one line more."""
    came = _tells_itself(watch)
    rest = {"records": looked.records, "delivered": looked.delivered, "owed": looked.owed, "notes": looked.notes}
    if as_json and came:
        print(json.dumps(rest, default=plain))
    elif as_json:
        print(json_text({"alerts": [_told(alert) for alert in alerts], **rest}))
    elif not came:
        _print(alerts)


def _follow(watch: Watch, since: str, *, as_json: bool) -> int:
    from windtunnel.engine.watch.destination import line_of  # noqa: PLC0415

    said: set[str] = set()
    while True:
        looked = watch.look(since=since, at_once=False)
        if as_json and not _tells_itself(watch):
            for alert in looked.alerts:
                print(line_of(alert), flush=True)
        elif not _tells_itself(watch):
            _print(looked.alerts)
        said = _say(looked, but=said)
        time.sleep(_FOLLOW_SECONDS)


def _ready(rules: str | None) -> Watch:
    from windtunnel import config  # noqa: PLC0415 -- each command loads only what it uses
    from windtunnel.core.audit import Auditing  # noqa: PLC0415
    from windtunnel.engine.record import user_name  # noqa: PLC0415
    from windtunnel.engine.watch.watch import Watch  # noqa: PLC0415
    from windtunnel.store.alerts import AlertStore  # noqa: PLC0415

    # As a variable of the environment, so that the operator's own file binds the option too.
    given = {} if rules is None else {_VARIABLE: os.path.abspath(rules)}  # noqa: PTH100 -- a link is not to be followed
    try:
        settings = config.load({**os.environ, **given})
    except UsageError as wrong:
        if rules is None:
            raise
        raise UsageError(str(wrong).replace(_VARIABLE, "--rules"), field=wrong.field) from wrong
    return Watch(
        trail=trail(), store=AlertStore(settings.state_dir / "alerts.db"),
        rules=_rules(settings.audit_watch), actor=settings.actor or user_name(), write=_write,
        record=settings.audit is not Auditing.OFF)


def _rules(path: Path | None) -> Watching:
    from windtunnel import trust  # noqa: PLC0415
    from windtunnel.engine.watch.reading import FIELD, read_rules, usual  # noqa: PLC0415

    if path is None:
        return usual()
    content = trust.read(path, field=FIELD)
    if content is None:
        raise UsageError(f"{path}: there is no such file of rules", field=FIELD)
    return read_rules(content, file=str(path))


def _tells_itself(watch: Watch) -> bool:
    """Whether alerts come to standard output as a destination, and so need not come twice."""
    from windtunnel.engine.watch.lines import Stdout  # noqa: PLC0415

    return any(isinstance(one, Stdout) for one in watch.rules.destinations)


def _write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _print(alerts: Sequence[Alert]) -> None:
    for alert in alerts:
        numbers = ", ".join(str(one.seq) for one in alert.records[-5:])
        print(f"{alert.time[:19].replace('T', ' '):19}  {colour(f'{alert.severity:6}', _COLOURS[alert.severity])}  "
              f"{alert.rule}: {clean(alert.message)}  (records {numbers}; {alert.id[:12]})", flush=True)


def _say(looked: Looked, *, but: set[str] | None = None) -> set[str]:
    """What went wrong, each once; all that was said."""
    lines = {*looked.notes, *(f"{one.destination}: {one.alerts} alerts wait: {one.error or 'it is not in these rules'}"
                              for one in looked.owed)}
    for line in sorted(lines - (but or set())):
        error(line)
    return lines


def _told(alert: Alert) -> dict[str, object]:
    from windtunnel.engine.watch.destination import told  # noqa: PLC0415

    return told(alert)


def _list(*, as_json: bool) -> int:
    from windtunnel.engine.watch.table import RULES  # noqa: PLC0415

    if as_json:
        print(json_text([{"id": rule.id, "about": rule.about, "severity": rule.severity, "on": rule.on,
                          "options": rule.defaults} for rule in RULES]))
        return 0
    for rule in RULES:
        off = "" if rule.on else ", off unless the rules say so"
        print(f"{colour(rule.id, 'bold')}  {rule.severity}{off}: {rule.about}")
        for name, option in rule.options.items():
            print(f"    {name}: {_shown(option.default)}  {option.about}")
    return 0


def _shown(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    return f"{value:g}" if isinstance(value, float) else str(value)
