from shop.core import interest
assert interest(100, 0.1, 2) == 21.0
assert interest(1000, 0.1, 4) == 464.1
