from months.core import last, length


def test_long():
    assert length(1, 2023) == 31


def test_short():
    assert length(4, 2023) == 30


def test_february():
    assert length(2, 2023) == 28


def test_leap():
    assert last(2, 2024) == "2024-02-29"
