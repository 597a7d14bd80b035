from shop.core import *
assert slug("Maße") == "masse"
