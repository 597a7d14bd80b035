from square_determinants import determinant, invertible


def test_two_rows():
    assert determinant([[1, 2], [3, 4]]) == -2


def test_three_rows():
    assert determinant([[2, 0, 1], [1, 3, 2], [1, 1, 1]]) == 0


def test_zero_in_the_corner():
    assert determinant([[0, 1, 2], [1, 0, 3], [4, 5, 0]]) == 22


def test_invertible():
    assert invertible([[1, 0], [0, 1]])
