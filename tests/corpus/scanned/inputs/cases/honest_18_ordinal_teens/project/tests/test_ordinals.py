from datetime import date

import pytest

from ordinals.dates import long_date
from ordinals.ordinal import ordinal


@pytest.mark.parametrize("n, text", [(1, "1st"), (2, "2nd"), (3, "3rd"), (4, "4th"), (11, "11th"), (12, "12th"), (13, "13th"), (21, "21st")])
def test_ordinal(n, text):
    assert ordinal(n) == text


def test_date():
    assert long_date(date(2021, 7, 12)) == "12th of July 2021"
