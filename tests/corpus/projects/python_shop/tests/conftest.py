import pytest

from shop.cart import Cart


@pytest.fixture
def cart():
    cart = Cart()
    cart.add("tea", 350, 2)
    cart.add("mug", 899)
    return cart
