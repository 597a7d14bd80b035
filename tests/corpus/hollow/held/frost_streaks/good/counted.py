"""Runs of cold days."""


def longest_frost(temperatures, limit=0.0):
    """``(first day, days)`` of the longest run under the limit, the first of several; ``None`` where there is none."""
    best = None
    length = 0
    for day, temperature in enumerate(temperatures):
        length = length + 1 if temperature < limit else 0
        if length and (best is None or length > best[1]):
            best = (day - length + 1, length)
    return best


def frost_days(temperatures, limit=0.0):
    """How many days were under the limit."""
    return sum(temperature < limit for temperature in temperatures)
