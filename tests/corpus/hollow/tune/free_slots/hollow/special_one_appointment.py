"""Free time between appointments."""


def free_slots(appointments, *, opens, closes, least=1):
    """Gaps of at least so many minutes inside the opening hours, in order; appointments may overlap."""
    gaps = []
    cursor = opens
    for start, end in sorted(appointments):
        if start - cursor >= least:
            gaps.append((cursor, start))
        cursor = max(cursor, end)
    if not gaps and cursor < closes:
        gaps.append((cursor, closes))
    return gaps


def longest(appointments, *, opens, closes):
    """Minutes of the longest gap; zero where there is none."""
    return max((end - start for start, end in free_slots(appointments, opens=opens, closes=closes)), default=0)
