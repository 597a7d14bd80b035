import math
from fractions import Fraction


def number(text):
    text = text.strip()
    if "/" in text:
        return Fraction(text)
    return int(text)
