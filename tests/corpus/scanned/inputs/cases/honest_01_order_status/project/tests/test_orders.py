import pytest

from orders.order import Order


def test_happy_path():
    assert Order().move("paid").move("shipped").move("delivered").status == "delivered"


def test_refund_after_delivery():
    order = Order("delivered").move("refunded")
    assert order.status == "refunded"
    assert order.final


def test_refund_of_paid():
    assert Order("paid").move("refunded").status == "refunded"


def test_new_cannot_be_refunded():
    with pytest.raises(ValueError):
        Order("new").move("refunded")


def test_cancelled_is_final():
    assert Order("cancelled").final
