from shop.core import *
assert plural("fox") == "foxes"
