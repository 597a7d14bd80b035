"""How many rooms a day of lessons needs."""


def rooms_needed(lessons):
    """The most lessons at the same time; one that begins when another ends can have its room."""
    events = []
    for start, end in lessons:
        events.append((start, 1))
        events.append((end, -1))
    events.sort()
    most = current = 0
    for _, change in events:
        current += change
        most = max(most, current)
    return most


def fits(lessons, rooms):
    """Whether so many rooms are enough."""
    return rooms_needed(lessons) <= rooms
