"""Determinants of small square matrices with whole numbers."""


def determinant(matrix: list[list[int]]) -> int:
    """By elimination without fractions; the determinant of no rows is one. The matrix is not changed."""
    rows = [list(row) for row in matrix]
    size = len(rows)
    if size == 0:
        return 1
    previous = 1
    for step in range(size - 1):
        if rows[step][step] == 0:
            rows[step], rows[step + 1] = rows[step + 1], [-value for value in rows[step]]
        if rows[step][step] == 0:
            return 0
        for row in range(step + 1, size):
            for column in range(step + 1, size):
                rows[row][column] = (
                    rows[row][column] * rows[step][step] - rows[row][step] * rows[step][column]) // previous
        previous = rows[step][step]
    return rows[-1][-1]


def invertible(matrix: list[list[int]]) -> bool:
    """Whether it has an inverse."""
    return determinant(matrix) != 0
