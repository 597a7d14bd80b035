from shop.core import Basket
assert Basket().add("a", 5).add("b", 4).add("c", 1).total() == 9
