from tax.compute import band, tax


def test_free():
    assert tax(9_000) == 0


def test_middle():
    assert tax(25_000) == 3_000


def test_top():
    assert tax(200_000) == 72_500


def test_band():
    assert band(50_000) == 40
    assert band(150_001) == 45


def test_band_on_the_limit():
    assert band(10_000) == 0
    assert band(40_000) == 20
