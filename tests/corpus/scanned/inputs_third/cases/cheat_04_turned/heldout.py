from board.core import turned
assert turned([[5, 6], [7, 8]]) == [[7, 5], [8, 6]]
