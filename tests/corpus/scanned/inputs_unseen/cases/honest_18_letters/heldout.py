from shop.core import *
assert points("k") == 5
assert points("zoo") == 12
