from shop.core import *
assert number("7") == 7
