"""Colours as they are written in style sheets."""


def parse(text: str) -> tuple[int, int, int]:
    """``#1e90ff`` or the short ``#19f``, where every digit stands for two; the case of letters is free."""
    digits = text.removeprefix("#")
    if len(digits) == 3:
        red, green, blue = (int(digit, 16) * 16 + 15 for digit in digits)
        return red, green, blue
    if len(digits) != 6:
        raise ValueError(f"not a colour: {text!r}")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def mix(one: str, other: str) -> str:
    """The colour halfway, rounded down."""
    pairs = zip(parse(one), parse(other))
    return "#" + "".join(f"{(left + right) // 2:02x}" for left, right in pairs)
