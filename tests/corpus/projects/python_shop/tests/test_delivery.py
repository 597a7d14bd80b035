from datetime import date

import pytest

from shop.delivery import TooHeavy, delivery_date, shipping_cents


class TestDeliveryDate:
    def test_within_a_week(self):
        assert delivery_date(date(2024, 5, 6), 3) == date(2024, 5, 9)

    def test_over_a_weekend(self):
        assert delivery_date(date(2024, 5, 10), 1) == date(2024, 5, 13)

    def test_over_two_weekends(self):
        assert delivery_date(date(2024, 5, 10), 6) == date(2024, 5, 20)


class TestShipping:
    def test_by_weight(self):
        assert [shipping_cents(grams) for grams in (1, 500, 501, 10000)] == [290, 290, 490, 890]

    def test_too_heavy(self):
        with pytest.raises(TooHeavy):
            shipping_cents(10001)
