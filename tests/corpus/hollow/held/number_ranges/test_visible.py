from number_ranges import compact, expand


def test_last_part_is_there():
    assert compact([1, 2, 3, 7]) == "1-3, 7"


def test_order():
    assert compact([9, 4, 5]) == "4-5, 9"


def test_nothing():
    assert compact([]) == ""


def test_expand():
    assert expand("1-3, 7") == [1, 2, 3, 7]
