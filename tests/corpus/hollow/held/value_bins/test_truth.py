from value_bins import fullest, histogram


def test_many_edges():
    for low in (-8, 0, 4):
        for bins in (1, 2, 4, 8):
            for width in (0.5, 1, 2):
                high = low + bins * width
                values = [low - 3 + quarter / 4 for quarter in range(int((bins * width + 6) * 4) + 1)]
                expected = [0] * bins
                for value in values:
                    for number in range(bins):
                        lower, upper = low + number * width, low + (number + 1) * width
                        if lower <= value < upper or (number == bins - 1 and value == upper):
                            expected[number] += 1
                assert histogram(values, low=low, high=high, bins=bins) == expected


def test_fullest_at_the_edge():
    assert fullest([4, 4, 1], low=0, high=4, bins=4) == 3
