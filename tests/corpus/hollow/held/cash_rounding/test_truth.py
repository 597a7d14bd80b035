from decimal import ROUND_HALF_UP, Decimal

from cash_rounding import to_cash


def test_all_steps():
    for step in (1, 2, 3, 5, 7, 10, 20, 25, 50):
        for cents in range(-160, 161):
            expected = int((Decimal(cents) / step).quantize(Decimal(1), ROUND_HALF_UP)) * step
            assert to_cash(cents, step) == expected
