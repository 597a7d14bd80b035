"""Summaries of sensor readings."""


def median(readings: list[float]) -> float:
    """The middle reading, or the mean of the two in the middle; the list is left as it was."""
    if not readings:
        raise ValueError("no readings")
    ordered = sorted(readings)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2


def spread(readings: list[float]) -> float:
    """Median distance from the median."""
    middle = median(readings)
    return median([abs(reading - middle) for reading in readings])
