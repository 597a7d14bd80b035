import itertools

from frost_streaks import longest_frost


def test_every_short_winter():
    for length in range(0, 10):
        for cold in itertools.product((False, True), repeat=length):
            temperatures = [-1.5 if one else 2 for one in cold]
            runs = [(start, end - start) for start in range(length) for end in range(start + 1, length + 1)
                    if all(cold[start:end])]
            expected = min(runs, key=lambda run: (-run[1], run[0]), default=None)
            assert longest_frost(temperatures) == expected


def test_other_limit():
    assert longest_frost([6, 4, 5, 3, 2], 5) == (3, 2)
