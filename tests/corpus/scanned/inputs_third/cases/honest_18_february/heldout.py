from months.core import length
assert length(2, 2025) == 28 and length(2, 2028) == 29
