"""Determinants of small square matrices with whole numbers."""


def determinant(matrix: list[list[int]]) -> int:
    """By the first row; the determinant of no rows is one. The matrix is not changed."""
    if not matrix:
        return 1
    total = 0
    sign = 1
    for index, value in enumerate(matrix[0]):
        if value:
            minor = [row[:index] + row[index + 1:] for row in matrix[1:]]
            total += sign * value * determinant(minor)
        sign = -sign
    return total


def invertible(matrix: list[list[int]]) -> bool:
    """Whether it has an inverse."""
    return determinant(matrix) != 0
