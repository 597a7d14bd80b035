from shop.core import *
assert level("Trace") == 5
