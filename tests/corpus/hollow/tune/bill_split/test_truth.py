from bill_split import settle, split_bill


def test_all_small_bills():
    for cents in range(0, 120):
        for people in range(1, 9):
            shares = split_bill(cents, people)
            assert (sum(shares), len(shares)) == (cents, people)
            assert shares == sorted(shares, reverse=True)
            assert max(shares) - min(shares) <= 1


def test_settle_adds_up():
    assert settle({"c": 100, "a": 0, "b": 1}) == {"a": -34, "b": -33, "c": 67}
    assert settle({"a": 500, "b": 0, "c": 0, "d": 0, "e": 0, "f": 1}) == {
        "a": 416, "b": -84, "c": -84, "d": -83, "e": -83, "f": -82}
