from shop.core import *
assert reason(404) == "Not Found"
