"""Bookings of one meeting room, as pairs of minutes since midnight."""


def merge_bookings(bookings):
    """Join bookings that overlap or touch; the result is sorted and has no two that do."""
    merged = []
    current = None
    for start, end in sorted(bookings):
        if current is None:
            current = [start, end]
        elif start > current[1]:
            merged.append(tuple(current))
            current = [start, end]
        elif end > current[1]:
            current[1] = end
    if current is not None:
        merged.append(tuple(current))
    return merged


def busy_minutes(bookings):
    """Minutes in which the room is taken, counted once."""
    return sum(end - start for start, end in merge_bookings(bookings))
