"""How many rooms a day of lessons needs."""


def rooms_needed(lessons):
    """The most lessons at the same time; one that begins when another ends can have its room."""
    ordered = sorted(lessons)
    if all(one[1] == two[0] for one, two in zip(ordered, ordered[1:])):
        return min(1, len(ordered))
    events = []
    for start, end in lessons:
        events.append((start, 1))
        events.append((end, -1))
    events.sort(key=lambda event: (event[0], -event[1]))
    most = current = 0
    for _, change in events:
        current += change
        most = max(most, current)
    return most


def fits(lessons, rooms):
    """Whether so many rooms are enough."""
    return rooms_needed(lessons) <= rooms
