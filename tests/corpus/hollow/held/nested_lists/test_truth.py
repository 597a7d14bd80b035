import random

from nested_lists import flatten


def nested(draw, level, leaves):
    if level == 0 or draw.random() < 0.3:
        leaves.append(draw.choice((None, 0, "text", 2.5, "")))
        return leaves[-1]
    parts = [nested(draw, level - 1, leaves) for _ in range(draw.randrange(4))]
    return tuple(parts) if draw.random() < 0.5 else parts


def test_random_lists():
    draw = random.Random(13)
    for _ in range(250):
        leaves = []
        value = [nested(draw, 6, leaves) for _ in range(3)]
        assert flatten(value) == leaves


def test_empty_lists():
    assert flatten([[], [[]], ((), [[[]]])]) == []
    assert flatten(()) == []
