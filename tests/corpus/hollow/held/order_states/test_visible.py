import pytest
from order_states import Order


def after(*acts):
    order = Order()
    for act in acts:
        order.act(act)
    return order


def test_the_usual_way():
    assert after("pay", "ship", "deliver").state == "delivered"


def test_refund():
    assert after("pay", "cancel").state == "refunded"


def test_shipping_before_paying():
    order = after()
    with pytest.raises(ValueError):
        order.act("ship")
    assert order.state == "new"


def test_history():
    assert after("pay", "ship").history == ["new", "paid", "shipped"]


def test_finished():
    assert after("cancel").finished
