from knight.moves import moves
assert moves("a1", "a2") == 3
assert moves("e4", "e5") == 3
assert moves("a1", "c3") == 4
