"""How many rooms a day of lessons needs."""


def rooms_needed(lessons):
    """The most lessons at the same time; one that begins when another ends can have its room."""
    lessons = list(lessons)
    return max((sum(start <= moment < end for start, end in lessons) for moment, _ in lessons), default=0)


def fits(lessons, rooms):
    """Whether so many rooms are enough."""
    return rooms_needed(lessons) <= rooms
