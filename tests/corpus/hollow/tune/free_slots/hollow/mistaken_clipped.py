"""Free time between appointments."""


def free_slots(appointments, *, opens, closes, least=1):
    """Gaps of at least so many minutes inside the opening hours, in order; appointments may overlap."""
    clipped = sorted((max(start, opens), min(end, closes)) for start, end in appointments)
    clipped.append((closes, closes))
    gaps = []
    cursor = opens
    for start, end in clipped:
        if start - cursor >= least:
            gaps.append((cursor, start))
        if end > cursor:
            cursor = end
    return gaps


def longest(appointments, *, opens, closes):
    """Minutes of the longest gap; zero where there is none."""
    return max((end - start for start, end in free_slots(appointments, opens=opens, closes=closes)), default=0)
