from record_batches import batches


def test_even():
    assert list(batches([1, 2, 3, 4], 2)) == [[1, 2], [3, 4]]


def test_rest():
    assert list(batches([1, 2, 3, 4, 5], 2)) == [[1, 2], [3, 4], [5]]
