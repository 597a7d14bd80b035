import random

from free_slots import free_slots, longest


def expected(appointments, opens, closes, least):
    busy = {minute for start, end in appointments for minute in range(start, end)}
    gaps, start = [], None
    for minute in range(opens, closes + 1):
        free = minute < closes and minute not in busy
        if free and start is None:
            start = minute
        if not free and start is not None:
            gaps += [(start, minute)] if minute - start >= least else []
            start = None
    return gaps


def test_random_days():
    draw = random.Random(4)
    for _ in range(250):
        appointments = []
        for _ in range(draw.randrange(5)):
            start = draw.randrange(-5, 45)
            appointments.append((start, start + draw.randrange(1, 15)))
        for least in (1, 4):
            wanted = expected(appointments, 0, 40, least)
            assert free_slots(appointments, opens=0, closes=40, least=least) == wanted
        assert longest(appointments, opens=0, closes=40) == max((b - a for a, b in expected(appointments, 0, 40, 1)), default=0)
