from clock.core import seconds
assert seconds("2h5m") == 7500
