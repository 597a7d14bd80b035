"""Student's t distribution without a library: its distribution function and its quantiles."""

from __future__ import annotations

import functools
import math

_ROUNDS = 200
_TINY = 1e-300
_NEAR = 1e-12


def two_sided(t: float, *, freedom: float) -> float:
    """The chance that |T| is above |t|: the regularised incomplete beta function I_x(v/2, 1/2), x = v/(v+t²)."""
    return _beta(freedom / (freedom + t * t), freedom / 2)


@functools.lru_cache(maxsize=4096)
def quantile(level: float, *, freedom: float) -> float:
    """The t that |T| stays below with this chance; found by halving, to a relative error of 1e-10 or so."""
    low, high = 0.0, 1.0
    while two_sided(high, freedom=freedom) > 1 - level and high < 1 / _NEAR:
        low, high = high, high * 2
    for _ in range(_ROUNDS):
        middle = (low + high) / 2
        if two_sided(middle, freedom=freedom) > 1 - level:
            low = middle
        else:
            high = middle
        if high - low <= _NEAR * high:
            break
    return high


def below(t: float, *, freedom: float) -> float:
    """The chance that T is below t."""
    half = two_sided(t, freedom=freedom) / 2
    return 1 - half if t > 0 else half


def _beta(x: float, a: float) -> float:
    """I_x(a, 1/2), by its continued fraction on the side where that converges fast."""
    if x <= 0:
        return 0.0
    if x >= 1:
        return 1.0
    b = 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Lentz's way through the continued fraction of the incomplete beta function."""
    c, d = 1.0, 1 / _away(1 - (a + b) * x / (a + 1))
    answer = d
    for at in range(1, _ROUNDS):
        for term in (at * (b - at) * x / ((a + 2 * at - 1) * (a + 2 * at)),
                     -(a + at) * (a + b + at) * x / ((a + 2 * at) * (a + 2 * at + 1))):
            d = 1 / _away(1 + term * d)
            c = _away(1 + term / c)
            answer *= c * d
        if abs(c * d - 1) < _NEAR:
            break
    return answer


def _away(value: float) -> float:
    """Never exactly zero."""
    return value if abs(value) > _TINY else _TINY
