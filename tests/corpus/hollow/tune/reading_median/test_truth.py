import itertools
import statistics

from reading_median import median, spread


def test_all_short_lists():
    for length in range(1, 7):
        for readings in itertools.product((0.0, 1.0, -2.5), repeat=length):
            given = list(readings)
            assert median(given) == statistics.median(readings)
            assert given == list(readings)


def test_spread():
    assert spread([1.0, 1.0, 4.0, 8.0]) == 1.5
    assert spread([7.0]) == 0.0
