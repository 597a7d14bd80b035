from fractions import Fraction

from mixed_fractions import double, write


def expected(numerator, denominator):
    value = Fraction(numerator, denominator)
    whole, rest = divmod(abs(value), 1)
    parts = [str(whole)] if whole or not rest else []
    parts += [f"{rest.numerator}/{rest.denominator}"] if rest else []
    return ("-" if value < 0 else "") + " ".join(parts)


def test_all_small_fractions():
    for numerator in range(-25, 26):
        for denominator in [*range(-9, 0), *range(1, 10)]:
            assert write(numerator, denominator) == expected(numerator, denominator)
            assert double(numerator, denominator) == expected(2 * numerator, denominator)
