from shop.core import newest
assert newest(["1.12.0", "1.8.0"]) == "1.12.0"
