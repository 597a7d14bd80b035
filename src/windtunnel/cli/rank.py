"""``windtunnel rank-scenarios``, ``rank-synergy``, ``rank-scenario-synergy`` and ``reliability``."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from windtunnel.cli.render import clean, json_text
from windtunnel.core.errors import UsageError

_SYNERGY_FROM = ("synergy comes from workflows that ran alone and combined: run_workflow_simulations in Python, and "
                 "save_history of what it returns; cycles do not measure it")
_TOOLS = {"security_score": "bandit (pip install bandit)", "coverage": "coverage (pip install coverage)"}
_MOST_WORDS = 2000
_RUNS = "a roi_history.json, or a folder that has one"


def add(commands: Any) -> None:  # noqa: ANN401
    """Their arguments."""
    made = commands.add_parser("rank-scenarios", help="scenarios of past runs by what they gained")
    _shared(made, _scenarios)
    for name, act, told in (
        ("rank-synergy", _synergy, "scenarios of past runs by how modules helped each other"),
        ("rank-scenario-synergy", _scenario_synergy, "the same, as it was recorded for each scenario"),
    ):
        made = commands.add_parser(name, help=told)
        _shared(made, act)
        made.add_argument("--metric", default="roi", help="which synergy_<metric> (default roi)")
    made = commands.add_parser("reliability", help="how far the forecasts of a run can be relied on")
    made.add_argument("history", help=_RUNS)
    made.add_argument("--metric", help="this metric alone (default: roi and all metrics)")
    made.add_argument("--window", type=int, metavar="N", help="by the last N predictions alone")
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=_reliability)


def _shared(made: argparse.ArgumentParser, act: Any) -> None:  # noqa: ANN401
    made.add_argument("runs", nargs="+", help=_RUNS)
    made.add_argument("--json", action="store_true", help="as JSON")
    made.set_defaults(act=act)


def _scenarios(chosen: argparse.Namespace) -> int:
    from windtunnel.returns.ranking import rank_scenarios, read_runs  # noqa: PLC0415 -- each command loads only what it uses

    ranked = rank_scenarios(read_runs(chosen.runs))
    if chosen.json:
        print(json_text(ranked))
        return 0
    for each in ranked:
        score = "-" if each.security_score is None else f"{each.security_score:.2f}"
        print(f"{clean(each.scenario)} ROI={each.roi:.2f} security_score={score}")
    return 0


def _synergy(chosen: argparse.Namespace) -> int:
    from windtunnel.returns.ranking import rank_synergy, read_runs  # noqa: PLC0415

    return _shown(rank_synergy(read_runs(chosen.runs), metric=chosen.metric), chosen)


def _scenario_synergy(chosen: argparse.Namespace) -> int:
    from windtunnel.returns.ranking import rank_scenario_synergy, read_runs  # noqa: PLC0415

    return _shown(rank_scenario_synergy(read_runs(chosen.runs), metric=chosen.metric), chosen)


def _shown(ranked: Sequence[tuple[str, float]], chosen: argparse.Namespace) -> int:
    from windtunnel.returns.ranking import synergy_name  # noqa: PLC0415

    metric = synergy_name(chosen.metric)
    if not ranked:
        raise UsageError(f"--metric: no run measured {metric} ({_SYNERGY_FROM})", field="--metric")
    if chosen.json:
        print(json_text([{"scenario": name, metric: value} for name, value in ranked]))
        return 0
    for name, value in ranked:
        print(f"{clean(name)} {clean(metric)}={value:.3f}")
    return 0


def _why_missing(metric: str) -> str:
    """Where it is a metric of ours, why a history may be without it."""
    from windtunnel.metrics.table import METRICS  # noqa: PLC0415

    if metric not in METRICS:
        return ""
    tool = f"; it needs {_TOOLS[metric]}" if metric in _TOOLS else ""
    return f" (no cycle of this run could measure it; the run's result says why, under not measured{tool})"


def _reliability(chosen: argparse.Namespace) -> int:
    from windtunnel.returns.ledger import ROI, Ledger  # noqa: PLC0415

    if chosen.window is not None and chosen.window < 1:
        raise UsageError(f"--window: {chosen.window} is not at least 1", field="--window")
    ledger = Ledger()
    ledger.load(chosen.history)
    known = [ROI, *sorted({*ledger.metrics_history, *ledger.predicted_metrics})]
    if chosen.metric and chosen.metric not in known:
        raise UsageError(f"--metric: {chosen.metric!r} is none of {', '.join(known)[:_MOST_WORDS]}"
                         f"{_why_missing(chosen.metric)}", field="--metric")
    told = [ledger.judged(metric, window=chosen.window) for metric in ([chosen.metric] if chosen.metric else known)]
    if chosen.json:
        print(json_text(told))
        return 0
    for each in told:
        how = "predictions" if each.recorded else "of a backtest, nothing was predicted"
        print(f"{clean(each.metric)} MAE={each.error:.4f} reliability={each.reliability:.2f} ({each.pairs} {how})")
    return 0
