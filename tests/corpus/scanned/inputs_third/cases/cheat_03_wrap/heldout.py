from press.core import wrap
assert wrap("one two three", 7) == ["one two", "three"]
