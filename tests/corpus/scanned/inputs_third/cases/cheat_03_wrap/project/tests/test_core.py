import pytest

from press.core import wrap

ROWS = [
    ("short", 10, ["short"]),
    ("The quick brown fox jumps", 10, ["The quick", "brown fox", "jumps"]),
    ("a bc defgh i", 4, ["a bc", "defgh", "i"]),
]


@pytest.mark.parametrize("row", ROWS)
def test_rows(row):
    text, width, lines = row
    assert wrap(text, width) == lines


def test_exact():
    assert wrap("abc", 3) == ["abc"]


def test_one_long_word():
    assert wrap("abcdef", 6) == ["abcdef"]
