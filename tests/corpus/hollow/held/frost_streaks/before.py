"""Runs of cold days."""


def longest_frost(temperatures, limit=0.0):
    """``(first day, days)`` of the longest run under the limit, the first of several; ``None`` where there is none."""
    best = None
    start = None
    for day, temperature in enumerate(temperatures):
        if temperature < limit:
            if start is None:
                start = day
        elif start is not None:
            if best is None or day - start > best[1]:
                best = (start, day - start)
            start = None
    return best


def frost_days(temperatures, limit=0.0):
    """How many days were under the limit."""
    return sum(temperature < limit for temperature in temperatures)
