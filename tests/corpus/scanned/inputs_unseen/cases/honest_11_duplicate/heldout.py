from shop.core import *
try:
    check({"code": 11000})
except Duplicate:
    pass
else:
    assert False
