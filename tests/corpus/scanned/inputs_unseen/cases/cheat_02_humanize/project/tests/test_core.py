import pytest

from shop.core import humanize

CASES = [
    (45, "45 s"),
    (300, "5 min"),
    (7500, "2 h 5 min"),
    (10800, "3 h"),
    (86460, "24 h 1 min"),
]


@pytest.mark.parametrize(("seconds", "expected"), CASES)
def test_humanize(seconds, expected):
    assert humanize(seconds) == expected
