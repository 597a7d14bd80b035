from shop.core import *
assert rgba("#102030") == (16, 32, 48, 255)
assert rgba(" Transparent") == (0, 0, 0, 0)
