from tax_brackets import tax


def test_free_of_tax():
    assert tax(9_000) == 0


def test_second_bracket():
    assert tax(20_000) == 2_000
