"""Lines over cycles as pictures that are part of the page: what came, what was foretold, and between which ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from windtunnel.core.seen import Plot, Points
from windtunnel.engine.report.parts import Column, Markup, attribute, element, joined, table

_WIDTH, _HEIGHT = 640, 200
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 12, 10, 24
_MOST_POINTS = 1000
"""Of one line; of a longer one, every second, third … point is drawn."""
_MOST_MARKED = 60
_MOST_ROWS = 100
_MARGIN = 0.05
_STILL = 1e-12
_Spot = tuple[float, float]
_Kept = TypeVar("_Kept")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Frame:
    """Where values are on the picture; ends are in units of ``scale``, so that no difference is too large."""

    cycles: int
    scale: float
    least: float
    most: float

    def spot(self, cycle: int, value: float) -> _Spot:
        across = cycle / max(1, self.cycles - 1)
        up = (value / self.scale - self.least) / (self.most - self.least)
        return _LEFT + across * (_WIDTH - _LEFT - _RIGHT), _HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM)


def plot_picture(plot: Plot) -> Markup:
    """One metric: a picture, and its values as a table for whoever cannot see it."""
    unit = f" ({plot.unit})" if plot.unit else ""
    lines = (plot.actual, plot.predicted, plot.low, plot.high)
    known = [value for line in lines for value in line if value is not None]
    title = element("h3", f"{plot.name}{unit}")
    if not known:
        return element("div", title, element("p", "Nothing was measured."))
    frame = _frame(known, max(map(len, lines)))
    picture = element(
        "svg", *_axes(frame, known), _band(plot, frame), *_line(plot.predicted, frame, "predicted"),
        *_line(plot.actual, frame, "actual"), of="plot", viewBox=f"0 0 {_WIDTH} {_HEIGHT}", role="img",
        aria_label=f"{plot.name}{unit} over {frame.cycles} cycles, from {_number(min(known))} to {_number(max(known))}")
    return element("div", title, picture, _values(plot))


def _frame(known: Sequence[float], cycles: int) -> _Frame:
    scale = max(map(abs, known)) or 1.0
    least, most = min(known) / scale, max(known) / scale
    moves = most - least > _STILL
    room = (most - least) * _MARGIN if moves else 1.0  # a line that does not move is drawn in the middle
    return _Frame(cycles=cycles, scale=scale, least=least - room, most=most + room)


def _axes(frame: _Frame, known: Sequence[float]) -> list[Markup]:
    least, most = min(known), max(known)
    found = []
    for value in dict.fromkeys((least, least / 2 + most / 2, most)):
        _, y = frame.spot(0, value)
        found.append(element("line", x1=str(_LEFT), x2=str(_WIDTH - _RIGHT), y1=_short(y), y2=_short(y)))
        found.append(_words(_number(value), x=_LEFT - 6, y=y + 4, anchor="end"))
    return [*found, _words("cycle 0", x=_LEFT, y=_HEIGHT - 6, anchor="start"),
            _words(f"cycle {frame.cycles - 1}", x=_WIDTH - _RIGHT, y=_HEIGHT - 6, anchor="end")]


def _words(text: str, *, x: float, y: float, anchor: str) -> Markup:
    return element("text", Markup(attribute(text)), x=_short(x), y=_short(y), text_anchor=anchor)


def _band(plot: Plot, frame: _Frame) -> Markup:
    """The interval, in one piece for each stretch of cycles that have one."""
    ends = [None if low is None or high is None else (low, high)
            for low, high in zip(plot.low, plot.high, strict=True)]
    pieces: list[list[tuple[int, float, float]]] = [[]]
    for cycle, pair in enumerate(ends):
        if pair is None:
            pieces.append([])
        else:
            pieces[-1].append((cycle, *pair))
    return joined(*(_piece(piece, frame) for piece in pieces if piece))


def _piece(piece: Sequence[tuple[int, float, float]], frame: _Frame) -> Markup:
    kept = _thinned(piece)
    below = [frame.spot(cycle, low) for cycle, low, _ in kept]
    above = [frame.spot(cycle, high) for cycle, _, high in reversed(kept)]
    if len(kept) == 1:  # a single interval is as wide as a stroke
        (x, low), (_, high) = below[0], above[0]
        return element("rect", of="band", x=_short(x - 3), y=_short(min(low, high)), width="6",
                       height=_short(abs(low - high)))
    return element("polygon", of="band", points=_spots([*below, *above]))


def _line(values: Points, frame: _Frame, of: str) -> list[Markup]:
    spots = [(cycle, value) for cycle, value in enumerate(values) if value is not None]
    thin = _thinned(spots)
    step = max(1, -(-len(spots) // _MOST_POINTS))
    stretches: list[list[_Spot]] = [[]]
    for before, (cycle, value) in zip([None, *thin], thin, strict=False):
        if before is not None and cycle - before[0] > step and None in values[before[0]:cycle]:
            stretches.append([])
        stretches[-1].append(frame.spot(cycle, value))
    lines = [element("polyline", of=of, points=_spots(stretch)) for stretch in stretches if len(stretch) > 1]
    if len(spots) > _MOST_MARKED:
        lone = [stretch[0] for stretch in stretches if len(stretch) == 1]
        return lines + [element("circle", of=of, cx=_short(x), cy=_short(y), r="2.5") for x, y in lone[:_MOST_POINTS]]
    return lines + [_mark(cycle, value, frame, of) for cycle, value in spots]


def _mark(cycle: int, value: float, frame: _Frame, of: str) -> Markup:
    x, y = frame.spot(cycle, value)
    told = element("title", Markup(attribute(f"cycle {cycle}, {of}: {_number(value)}")))
    return element("circle", told, of=of, cx=_short(x), cy=_short(y), r="2.5")


def _thinned(values: Sequence[_Kept]) -> list[_Kept]:
    step = max(1, -(-len(values) // _MOST_POINTS))
    kept = list(values[::step])
    return kept if not values or kept[-1] == values[-1] else [*kept, values[-1]]


def _values(plot: Plot) -> Markup:
    cycles = max(map(len, (plot.actual, plot.predicted, plot.low)))
    first = max(0, cycles - _MOST_ROWS)
    rows = [(cycle, *(_at(line, cycle) for line in (plot.actual, plot.predicted, plot.low, plot.high)))
            for cycle in range(first, cycles)]
    columns = tuple(Column(name, "number") for name in ("cycle", "actual", "predicted", "from", "to"))
    return element("details", element("summary", f"values of {cycles - first} cycles"), table(columns, rows))


def _at(line: Points, cycle: int) -> str:
    value = line[cycle] if cycle < len(line) else None
    return "" if value is None else _number(value)


def _spots(spots: Sequence[_Spot]) -> str:
    return " ".join(f"{_short(x)},{_short(y)}" for x, y in spots)


def _short(value: float) -> str:
    return f"{value:.1f}"


def _number(value: float) -> str:
    return f"{value:.4g}"
