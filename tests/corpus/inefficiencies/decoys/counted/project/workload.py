from counted import CALLS, size

print(size(9, 8), len(CALLS))
