"""How many rooms a day of lessons needs."""


def rooms_needed(lessons):
    """The most lessons at the same time; one that begins when another ends can have its room."""
    free_at = []
    for start, end in lessons:
        for room, moment in enumerate(free_at):
            if moment <= start:
                free_at[room] = end
                break
        else:
            free_at.append(end)
    return len(free_at)


def fits(lessons, rooms):
    """Whether so many rooms are enough."""
    return rooms_needed(lessons) <= rooms
