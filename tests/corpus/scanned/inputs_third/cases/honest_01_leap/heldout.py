from almanac.core import leap
assert not leap(2200)
assert leap(2400)
