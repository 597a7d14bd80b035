from shop.core import *
assert postage(51) == 0
