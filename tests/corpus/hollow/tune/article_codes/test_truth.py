import random

from article_codes import check_digit, valid


def test_many_codes():
    draw = random.Random(2)
    for _ in range(300):
        digits = "".join(draw.choice("0123456789") for _ in range(12))
        weighted = sum(int(digit) for digit in digits[::2]) + 3 * sum(int(digit) for digit in digits[1::2])
        right = next(digit for digit in range(10) if (weighted + digit) % 10 == 0)
        assert check_digit(digits) == right
        assert [last for last in range(10) if valid(f"{digits}{last}")] == [right]


def test_zero():
    assert check_digit("000000000000") == 0
    assert not valid("")
