from shop.core import decode
assert decode("2q3r") == "qqrrr"
