import pytest

from ledger.core import valid


@pytest.mark.parametrize(("number", "answer"), [
    ("1", False),
    ("059", True),
    ("055 444 189", False),
    ("4539 3195 0343 6468", False),
    ("1234 5678 1234 8765", True),
])
def test_numbers(number, answer):
    assert valid(number) is answer


def test_nothing_is_no_number():
    assert valid("") is False
