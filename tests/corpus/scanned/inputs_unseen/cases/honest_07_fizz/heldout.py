from shop.core import *
assert fizz(14) == "bang"
