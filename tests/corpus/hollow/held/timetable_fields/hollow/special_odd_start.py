"""Fields of a timetable: ``*``, ``*/15``, ``8-18``, ``8-18/2``, ``1,3,5``."""


def values(field: str, low: int, high: int) -> set[int]:
    """All numbers that a field means, inside the bounds, both included."""
    found: set[int] = set()
    for part in field.split(","):
        span, _, step = part.partition("/")
        if span == "*":
            first, last = low, high
        elif "-" in span:
            first, last = (int(end) for end in span.split("-"))
        else:
            first = last = int(span)
        if not low <= first <= last <= high:
            raise ValueError(f"outside {low} to {high}: {part!r}")
        found.update(number for number in range(first, last + 1) if number % int(step or 1) == first % 2 or not step)
    return found


def runs(minute: str, hour: str) -> int:
    """How often it runs in a day."""
    return len(values(minute, 0, 59)) * len(values(hour, 0, 23))
