from ordinals.ordinal import ordinal
assert [ordinal(n) for n in (111, 212, 1013, 101, 122, 110)] == ["111th", "212th", "1013th", "101st", "122nd", "110th"]
