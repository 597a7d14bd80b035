import pytest

from shop.core import agreed


@pytest.mark.parametrize(("text", "expected"), [("yes", True), ("NO", False), ("y", True), ("n", False)])
def test_agreed(text, expected):
    assert agreed(text) is expected


def test_other():
    with pytest.raises(ValueError):
        agreed("maybe")
