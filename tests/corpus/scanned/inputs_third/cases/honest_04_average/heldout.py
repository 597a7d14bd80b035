from marks.core import average
assert average(()) == 0.0
