from summarise.stats import median
assert median([2, 1]) == 1.5
assert median([10, 20, 30, 40]) == 25
