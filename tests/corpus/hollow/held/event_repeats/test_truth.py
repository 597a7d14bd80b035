import random

from event_repeats import quiet


def expected(events, window):
    kept = []
    for second, kind in events:
        if not any(other == kind and second - when < window for when, other in kept):
            kept.append((second, kind))
    return kept


def test_random_alarms():
    draw = random.Random(12)
    for _ in range(300):
        seconds = sorted(draw.randrange(60) for _ in range(draw.randrange(14)))
        events = [(second, draw.choice("abc")) for second in seconds]
        for window in (0, 1, 5, 10, 25):
            assert quiet(events, window) == expected(events, window)
