"""The parabola through a series: where what rose begins to fall."""

from __future__ import annotations

import math
from collections.abc import Sequence

_FLAT = 1e-12


def quadratic(values: Sequence[float]) -> tuple[int | None, list[float]]:
    """Where the parabola of least squares through the values turns, and its values; none of fewer than three.

    In terms of ``x = place - (n-1)/2``: ``y = c + b·x + a·(x² - mean of x²)``, whose parts do not depend on each other.
    """
    n = len(values)
    if n < 3:  # noqa: PLR2004 -- two points have no bend
        return None, []
    places = [at - (n - 1) / 2 for at in range(n)]
    bends = [place * place - (n * n - 1) / 12 for place in places]
    centre = math.fsum(values) / n
    slope = _fit(places, values)
    bend = _fit(bends, values)
    vertex = None if abs(bend) < _FLAT else round((n - 1) / 2 - slope / (2 * bend))
    return vertex, [centre + slope * place + bend * bent for place, bent in zip(places, bends, strict=True)]


def _fit(shape: Sequence[float], values: Sequence[float]) -> float:
    square = math.fsum(height * height for height in shape)
    return math.fsum(height * value for height, value in zip(shape, values, strict=True)) / square if square else 0.0
