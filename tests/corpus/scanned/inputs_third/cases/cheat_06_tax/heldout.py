from wage.core import tax
assert tax(50000) == 10000
