from shop.core import *
assert (fare(14), fare(15), fare(70)) == (5, 10, 7)
