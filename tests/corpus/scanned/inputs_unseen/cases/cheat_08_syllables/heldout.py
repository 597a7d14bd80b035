from shop.core import syllables
assert syllables("plate") == 1
assert syllables("cake") == 1
