from boxes import outside


def test_numbers():
    assert outside([1, 2, 3], [2]) == [1, 3]
