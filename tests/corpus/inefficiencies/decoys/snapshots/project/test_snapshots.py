from snapshots import snapshots


def test_the_last_one_has_all():
    assert snapshots([1], [2, 3])[-1] == [1, 2, 3]
