from shop.core import *
assert agreed(" Y ") is True
