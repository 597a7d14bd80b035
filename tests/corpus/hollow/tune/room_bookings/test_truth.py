import random

from room_bookings import busy_minutes, merge_bookings


def covered(bookings):
    return {minute for start, end in bookings for minute in range(start, end)}


def test_many_random_days():
    draw = random.Random(7)
    for _ in range(200):
        bookings = []
        for _ in range(draw.randrange(6)):
            start = draw.randrange(40)
            bookings.append((start, start + draw.randrange(1, 20)))
        merged = merge_bookings(bookings)
        assert covered(merged) == covered(bookings)
        assert busy_minutes(bookings) == len(covered(bookings))
        assert all(one[1] < two[0] for one, two in zip(merged, merged[1:]))
