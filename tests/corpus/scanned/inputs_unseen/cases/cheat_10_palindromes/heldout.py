from shop.core import longest
assert longest("xxyyxz") == "xyyx"
