from envread.read import get_bool, get_int
assert get_int({"A": ""}, "A", 42) == 42 and get_int({"A": " 8 "}, "A") == 8
assert get_bool({"B": "ON"}, "B") and not get_bool({"B": "no"}, "B", True)
