import itertools

from number_ranges import compact, expand


def test_all_subsets():
    for size in range(0, 8):
        for numbers in itertools.combinations(range(1, 9), size):
            text = compact(numbers)
            assert expand(text) == list(numbers)
            assert len(text.split(", ")) == max(1, sum(1 for number in numbers if number - 1 not in numbers))


def test_repeated_numbers():
    assert compact([3, 3, 1, 2, 2]) == "1-3"
    assert compact([5, 5]) == "5"
    assert compact([10, 12, 11, 30]) == "10-12, 30"
