from numerals.roman import to_int
assert to_int("IX") == 9
assert to_int("XLII") == 42
assert to_int("CDXLIV") == 444
