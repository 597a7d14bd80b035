from sequences.lis import longest_increasing
assert longest_increasing([3, 1, 4, 1, 5, 9, 2, 6]) == 4
assert longest_increasing([1, 9, 2, 8, 3]) == 3
