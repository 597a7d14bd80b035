from spell.core import distance
assert distance("flower", "flowers") == 1
