import pytest

from shop.cart import Cart, CartError


def test_an_empty_cart_costs_nothing():
    assert Cart().total() == 0


def test_lines_add_up(cart):
    assert cart.subtotal() == 1599


def test_the_same_article_is_one_line(cart):
    cart.add("tea", 350, 3)

    assert [(line.name, line.quantity) for line in cart.lines] == [("tea", 5), ("mug", 1)]


def test_an_article_can_be_removed(cart):
    cart.remove("tea")

    assert cart.total() == 899


def test_removing_what_is_not_there_is_an_error(cart):
    with pytest.raises(CartError, match="not in the cart: pen"):
        cart.remove("pen")


def test_a_coupon_is_taken_off_last(cart):
    assert cart.total("WELCOME") == 1439


@pytest.mark.parametrize("quantity", [0, -1])
def test_quantities_are_positive(cart, quantity):
    with pytest.raises(CartError):
        cart.add("pen", 100, quantity)
