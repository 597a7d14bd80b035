from shares import entropy, scaled


def test_scaled():
    assert scaled([2, 4, 3]) == [0.0, 1.0, 0.5]
    assert scaled([7, 7]) == [0.0, 0.0]
    assert scaled([]) == []


def test_entropy():
    assert round(entropy([0, 1, 2]), 3) == 0.347
