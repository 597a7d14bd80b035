import pytest
from bill_split import settle, split_bill


def test_even_split():
    assert split_bill(900, 3) == [300, 300, 300]


def test_ten_euros_by_three():
    assert split_bill(1000, 3) == [334, 333, 333]


def test_nobody():
    with pytest.raises(ValueError):
        split_bill(100, 0)


def test_settle():
    assert settle({"ann": 600, "bob": 0}) == {"ann": 300, "bob": -300}
