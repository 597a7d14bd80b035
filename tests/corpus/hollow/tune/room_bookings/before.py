"""Bookings of one meeting room, as pairs of minutes since midnight."""


def merge_bookings(bookings):
    """Join bookings that overlap or touch; the result is sorted and has no two that do."""
    merged = []
    for start, end in sorted(bookings):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], end)
        else:
            merged.append((start, end))
    return merged


def busy_minutes(bookings):
    """Minutes in which the room is taken, counted once."""
    return sum(end - start for start, end in merge_bookings(bookings))
