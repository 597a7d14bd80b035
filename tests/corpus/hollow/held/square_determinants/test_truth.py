import random

from square_determinants import determinant, invertible


def expected(matrix):
    if not matrix:
        return 1
    return sum((-1) ** column * value * expected([row[:column] + row[column + 1:] for row in matrix[1:]])
               for column, value in enumerate(matrix[0]))


def test_random_matrices():
    draw = random.Random(20)
    for _ in range(400):
        size = draw.randrange(0, 6)
        matrix = [[draw.choice((0, 0, 1, -2, 3)) for _ in range(size)] for _ in range(size)]
        kept = [list(row) for row in matrix]
        assert determinant(matrix) == expected(matrix)
        assert invertible(matrix) == (expected(matrix) != 0)
        assert matrix == kept
