from shop.core import *
assert command("ls a b") == ("list", ["a", "b"])
