"""Years as they stand on buildings."""

LETTERS = (("M", 1000), ("D", 500), ("C", 100), ("L", 50), ("X", 10), ("V", 5), ("I", 1))


def write(year: int) -> str:
    """Roman letters for one to 3999."""
    if not 1 <= year <= 3999:
        raise ValueError("one to 3999")
    text = ""
    for letter, value in LETTERS:
        text += letter * (year // value)
        year %= value
    text = text.replace("VIIII", "IX").replace("LXXXX", "XC").replace("DCCCC", "CM")
    return text.replace("IIII", "IV").replace("XXXX", "XL").replace("CCCC", "CD")


def read(text: str) -> int:
    """The number; a letter before a larger one is taken away."""
    values = [dict(LETTERS)[letter] for letter in text]
    total = 0
    for value, following in zip(values, [*values[1:], 0]):
        total += -value if value < following else value
    return total
