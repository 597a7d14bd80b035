"""Free time between appointments."""


def free_slots(appointments, *, opens, closes, least=1):
    """Gaps of at least so many minutes inside the opening hours, in order; appointments may overlap."""
    gaps = []
    cursor = opens
    inside = [(start, end) for start, end in appointments if start < closes]
    for start, end in [*sorted(inside), (closes, closes)]:
        if start - cursor >= least:
            gaps.append((cursor, start))
        cursor = max(cursor, end)
    return gaps


def longest(appointments, *, opens, closes):
    """Minutes of the longest gap; zero where there is none."""
    return max((end - start for start, end in free_slots(appointments, opens=opens, closes=closes)), default=0)
