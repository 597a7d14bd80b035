from shop.core import *
assert price(1) == "1.00 EUR"
