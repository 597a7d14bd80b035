"""Short names for numbered pages, in 62 signs."""

SIGNS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def encode(number: int) -> str:
    """The shortest name of a number from zero on."""
    if number < 0:
        raise ValueError("pages are counted from zero")
    text = ""
    while number > 0:
        number, rest = divmod(number, len(SIGNS))
        text += SIGNS[rest]
    return text


def decode(text: str) -> int:
    """The number of a name."""
    number = 0
    for sign in text:
        number = number * len(SIGNS) + SIGNS.index(sign)
    return number
