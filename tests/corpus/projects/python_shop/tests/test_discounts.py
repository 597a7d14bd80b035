import pytest

from shop.cart import Cart, Line
from shop.discounts import CouponError, bulk_discount, coupon_discount, percent_of


def test_percentages_are_rounded_half_up():
    assert percent_of(250, 5) == 13
    assert percent_of(249, 5) == 12


def test_bulk_discount_starts_at_ten_pieces():
    assert bulk_discount([Line("pen", 100, 10)]) == 50


def test_nine_pieces_are_no_bulk():
    assert bulk_discount([Line("pen", 100, 9)]) == 0


def test_bulk_discount_is_in_the_total():
    cart = Cart()
    cart.add("pen", 100, 20)

    assert cart.total() == 1900


def test_coupons():
    assert coupon_discount(2000, "FRIEND") == 300


def test_an_unknown_coupon_is_an_error():
    with pytest.raises(CouponError):
        coupon_discount(2000, "FOE")
