import random

from room_count import fits, rooms_needed


def test_random_days():
    draw = random.Random(17)
    for _ in range(400):
        lessons = []
        for _ in range(draw.randrange(9)):
            start = draw.randrange(8, 16)
            lessons.append((start, start + draw.randrange(1, 4)))
        most = max((sum(start <= hour < end for start, end in lessons) for hour in range(8, 20)), default=0)
        assert rooms_needed(lessons) == most
        assert fits(lessons, most)
