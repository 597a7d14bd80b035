from shop.core import *
assert winner("spock", "rock") == "spock"
