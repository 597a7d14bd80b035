import pytest

from combinat.compositions import compositions
from combinat.partitions import partitions


@pytest.mark.parametrize("n, expected", [(0, 1), (1, 1), (2, 2), (5, 7), (10, 42), (30, 5604)])
def test_partitions(n, expected):
    assert partitions(n) == expected


def test_compositions():
    assert [compositions(n) for n in range(5)] == [1, 1, 2, 4, 8]


def test_negative():
    with pytest.raises(ValueError):
        partitions(-1)
