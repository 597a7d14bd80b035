from durations.parse import seconds
assert seconds("2h15m") == 8100
assert seconds("1m 5s") == 65
