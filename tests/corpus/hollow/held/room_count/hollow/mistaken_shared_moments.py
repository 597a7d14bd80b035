"""How many rooms a day of lessons needs."""


def rooms_needed(lessons):
    """The most lessons at the same time; one that begins when another ends can have its room."""
    events = []
    for start, end in lessons:
        events.append((start, 1))
        events.append((end, -1))
    events.sort(key=lambda event: (event[0], -event[1]))
    ends = {end for _, end in lessons}
    starts = {start for start, _ in lessons}
    events = [event for event in events if not (event[0] in ends and event[0] in starts)]
    most = current = 0
    for _, change in events:
        current += change
        most = max(most, current)
    return most


def fits(lessons, rooms):
    """Whether so many rooms are enough."""
    return rooms_needed(lessons) <= rooms
