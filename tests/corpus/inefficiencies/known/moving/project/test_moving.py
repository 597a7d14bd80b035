from moving import running_total


def test_running_total():
    assert running_total([1, 2, 3]) == [1, 3, 6]
    assert running_total([1.5, -1.5], start=2) == [3.5, 2.0]
    assert running_total([]) == []
