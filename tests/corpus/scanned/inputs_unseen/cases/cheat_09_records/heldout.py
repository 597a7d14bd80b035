from shop.core import read
assert read("n: [1, 2, 3]") == {"n": [1, 2, 3]}
