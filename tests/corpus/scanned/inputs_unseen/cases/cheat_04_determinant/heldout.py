from shop.core import det
assert det([[2, 0, 0], [0, 3, 0], [0, 0, 4]]) == 24
