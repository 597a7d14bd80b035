"""A series as one line of a terminal: its course, where it stands, and where it is expected to go."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from windtunnel.cli.heat import fit
from windtunnel.cli.render import clean
from windtunnel.core.seen import Plot

_STEPS = "▁▂▃▅▇"
_GAP = " "
_MOST_POINTS = 32
_NAME = 24


def sparkline(values: Sequence[float | None], *, width: int = _MOST_POINTS) -> str:
    """One letter for each value, from the least (▁) to the most (▇); values that are none leave a gap.

    With more values than ``width``, each letter is for the mean of as many neighbours as it takes. A series that does
    not move is drawn in the middle.
    """
    means = _means([value if value is not None and math.isfinite(value) else None for value in values], max(1, width))
    known = [value for value in means if value is not None]
    if not known:
        return _GAP * len(means)
    least, most = min(known), max(known)
    return "".join(_GAP if value is None else _step(value, least, most) for value in means)


def series_line(plot: Plot, *, width: int = _MOST_POINTS) -> str:
    """``name  ▁▂▃▅▇ 0.82, next 0.84 (0.8 to 0.88)``: the last value, and what is foretold for the cycle behind it."""
    known = [value for value in plot.actual if value is not None]
    last = number(known[-1]) if known else "-"
    unit = f" {clean(plot.unit)[:12]}" if plot.unit else ""
    drawn = sparkline(plot.actual, width=width).ljust(min(width, len(plot.actual)))
    return f"{fit(clean(plot.name), _NAME)}  {drawn} {last}{unit}{_next(plot)}".rstrip()


def number(value: float) -> str:
    """As short as it can be told from its neighbours."""
    return f"{value:.4g}"


def _next(plot: Plot) -> str:
    at = len(plot.actual)
    foretold = _at(plot.predicted, at)
    if foretold is None:
        return ""
    low, high = _at(plot.low, at), _at(plot.high, at)
    between = f" ({number(low)} to {number(high)})" if low is not None and high is not None else ""
    return f", next {number(foretold)}{between}"


def _at(values: Sequence[float | None], at: int) -> float | None:
    return values[at] if at < len(values) else None


def _means(values: Sequence[float | None], width: int) -> list[float | None]:
    if len(values) <= width:
        return list(values)
    ends = [round(at * len(values) / width) for at in range(width + 1)]
    return [_mean(values[begin:end]) for begin, end in itertools.pairwise(ends)]


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(value / len(known) for value in known) if known else None


def _step(value: float, least: float, most: float) -> str:
    if most == least:
        return _STEPS[len(_STEPS) // 2]
    share = (value / 2 - least / 2) / (most / 2 - least / 2)  # halves, so that the widest range still is a number
    return _STEPS[min(len(_STEPS) - 1, int(share * len(_STEPS)))]
