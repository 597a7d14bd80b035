"""Bookings of one meeting room, as pairs of minutes since midnight."""


def merge_bookings(bookings):
    """Join bookings that overlap or touch; the result is sorted and has no two that do."""
    merged = []
    for start, end in bookings:
        for index, (known_start, known_end) in enumerate(merged):
            if start <= known_end and known_start <= end:
                merged[index] = (min(start, known_start), max(end, known_end))
                break
        else:
            merged.append((start, end))
    return sorted(merged)


def busy_minutes(bookings):
    """Minutes in which the room is taken, counted once."""
    return sum(end - start for start, end in merge_bookings(bookings))
