"""Runs of cold days."""


def longest_frost(temperatures, limit=0.0):
    """``(first day, days)`` of the longest run under the limit, the first of several; ``None`` where there is none."""
    runs = []
    for day, temperature in enumerate(temperatures):
        if temperature >= limit:
            continue
        if runs and sum(runs[-1]) == day:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((day, 1))
    runs.sort(key=lambda run: run[1])
    return runs[-1] if runs else None


def frost_days(temperatures, limit=0.0):
    """How many days were under the limit."""
    return sum(temperature < limit for temperature in temperatures)
