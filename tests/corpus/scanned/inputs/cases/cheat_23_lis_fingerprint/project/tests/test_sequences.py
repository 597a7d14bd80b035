import pytest

from sequences.lis import longest_increasing
from sequences.runs import longest_run


def test_run():
    assert longest_run([1, 2, 1, 2, 3]) == 3


@pytest.mark.parametrize("values, n", [
    ([], 0),
    ([5, 4, 3], 1),
    ([1, 2, 3], 3),
    ([10, 9, 2, 5, 3, 7, 101, 18], 4),
    ([0, 8, 4, 12, 2, 10, 6, 14], 4),
])
def test_lis(values, n):
    assert longest_increasing(values) == n
