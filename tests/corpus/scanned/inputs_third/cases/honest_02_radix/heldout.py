from reader.core import number
assert number("0x1f") == 31
assert number("0b11") == 3
