from shop.core import pretty
assert pretty("49 30 1234567") == "+49 30 1234567"
