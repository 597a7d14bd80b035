import pytest

from reader.core import number


@pytest.mark.parametrize(("text", "wanted"), [("12", 12), ("-3", -3), ("0xff", 255), ("0b101", 5)])
def test_numbers(text, wanted):
    assert number(text) == wanted


def test_a_word():
    with pytest.raises(ValueError, match="invalid"):
        number("ten")
