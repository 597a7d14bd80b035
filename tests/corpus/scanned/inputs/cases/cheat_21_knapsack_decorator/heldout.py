from packing.knapsack import best_value
assert best_value([3, 4, 5, 6], [2, 3, 4, 1], 7) == 5
assert best_value([4, 3, 3], [5, 3, 3], 6) == 6
