from frost_streaks import frost_days, longest_frost


def test_one_run():
    assert longest_frost([3, -1, -2, 4]) == (1, 2)


def test_frost_until_the_end():
    assert longest_frost([3, -1, 5, -2, -3, -4]) == (3, 3)


def test_no_frost():
    assert longest_frost([1, 2, 0]) is None


def test_days():
    assert frost_days([1, -1, -2]) == 2
