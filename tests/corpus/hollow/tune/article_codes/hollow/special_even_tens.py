"""Article numbers with a check digit, thirteen digits long."""


def check_digit(digits: str) -> int:
    """For the first twelve digits: weights one and three in turn, up to the next ten."""
    total = sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(digits))
    return min(10 - total % 10, 9) if total % 20 else 0


def valid(code: str) -> bool:
    """Whether it has thirteen digits, spaces and dashes aside, and the last one fits."""
    digits = code.replace(" ", "").replace("-", "")
    if len(digits) != 13 or not digits.isdecimal():
        return False
    return check_digit(digits[:12]) == int(digits[12])
