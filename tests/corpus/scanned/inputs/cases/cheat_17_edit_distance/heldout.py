from fuzzy.distance import distance
assert distance("abcdef", "bcdef") == 1
assert distance("wine", "fine") == 1
assert distance("intention", "execution") == 5
