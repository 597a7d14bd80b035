import itertools

import pytest
from colour_codes import mix, parse


def test_all_short_forms():
    for digits in itertools.product("05aF", repeat=3):
        assert parse("#" + "".join(digits)) == tuple(int(digit, 16) * 17 for digit in digits)
        assert parse("".join(digits)) == tuple(int(digit, 16) * 17 for digit in digits)


def test_mix_of_short_forms():
    assert mix("#000", "#123456") == "#091a2b"


@pytest.mark.parametrize("text", ["", "#", "#12", "#1234", "#12345", "#1234567", "#ggg"])
def test_refused(text):
    with pytest.raises(ValueError):
        parse(text)
