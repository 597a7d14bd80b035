from shared import rows


def test_rows():
    assert rows(3) == [[1], [1, 1], [1, 2, 1]]
