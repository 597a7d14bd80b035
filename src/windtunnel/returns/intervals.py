"""How far off a forecast may be, from how far off the earlier ones were.

Of few errors, Student's t: ``t(level, n) · sqrt(mean of error²)`` with as many degrees of freedom as there are errors.
As soon as there are so many that one of them can stand for the level, their own quantile (split conformal): the
⌈(n + 1) · level⌉-th smallest absolute error. The level is corrected on the way (adaptive conformal): after each value
``miss ← miss + GAIN · (wanted - missed)``, so that intervals that were too narrow widen.
"""

from __future__ import annotations

import bisect
import math
from collections.abc import Sequence

from windtunnel.returns.student import quantile

GAIN = 0.02


def half_width(errors: Sequence[float], *, level: float) -> float:
    """Half of the interval around a forecast whose earlier errors these are; there is at least one."""
    enough = _enough(level)
    if len(errors) < enough:
        return _student(errors, level)
    sizes = sorted(abs(error) for error in errors[:enough])
    miss = 1 - level
    for error in errors[enough:]:
        missed = abs(error) > _ranked(sizes, 1 - miss)
        miss = min(0.5, max(0.0, miss + GAIN * (1 - level - missed)))
        bisect.insort(sizes, abs(error))
    return _ranked(sizes, 1 - miss)


def _enough(level: float) -> int:
    """So many that the largest of them is the quantile."""
    return math.ceil(level / (1 - level) - 1e-9)


def _student(errors: Sequence[float], level: float) -> float:
    largest = max(abs(error) for error in errors)
    if largest == 0:
        return 0.0
    spread = largest * math.sqrt(math.fsum((error / largest) ** 2 for error in errors) / len(errors))
    return quantile(level, freedom=len(errors)) * spread


def _ranked(sizes: Sequence[float], level: float) -> float:
    """The conformal quantile; beyond the largest, as much more as the level asks for."""
    rank = math.ceil((len(sizes) + 1) * level - 1e-9)
    return sizes[rank - 1] if rank <= len(sizes) else sizes[-1] * rank / len(sizes)
