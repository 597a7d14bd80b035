import pytest
from peeked_items import Peeking


def test_peek_takes_nothing():
    items = Peeking([1, 2])
    assert items.peek() == 1
    assert list(items) == [1, 2]


def test_peek_at_the_end():
    with pytest.raises(StopIteration):
        Peeking([]).peek()


def test_default():
    assert Peeking([]).peek("none") == "none"


def test_zero_is_an_item():
    items = Peeking([0, 5])
    assert items.peek() == 0
    assert list(items) == [0, 5]
