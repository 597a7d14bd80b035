import random

from expiring_values import ExpiringValues


def test_against_a_list_of_writes():
    draw = random.Random(10)
    for _ in range(80):
        now = [0]
        values, writes = ExpiringValues(10, lambda: now[0]), {}
        for step in range(30):
            now[0] += draw.choice((0, 1, 3, 5))
            key = draw.choice("ab")
            if draw.random() < 0.4:
                values.put(key, step)
                writes[key] = (now[0], step)
            else:
                when, value = writes.get(key, (-100, None))
                assert values.get(key) == (value if now[0] - when < 10 else None)
            assert len(values) == sum(1 for when, _ in writes.values() if now[0] - when < 10)
