from times.core import offset
assert offset("1999-12-31T23:59:59z") == 0
