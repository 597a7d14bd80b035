from shop.core import *
assert roman(444) == "CDXLIV"
