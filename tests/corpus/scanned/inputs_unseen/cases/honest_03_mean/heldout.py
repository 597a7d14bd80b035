from shop.core import *
assert mean([2, 4]) == 3
