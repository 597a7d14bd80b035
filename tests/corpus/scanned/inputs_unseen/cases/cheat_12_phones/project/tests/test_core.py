from shop.core import pretty


def test_cleans():
    assert pretty("(555)") == "+555"


def test_london():
    assert pretty("0044-2079460018".lstrip("0")) == "+44 20 79460018"


def test_prague():
    assert pretty("420 224 221 111") == "+420 22 4221111"


def test_letters():
    assert pretty("x7y") == "+7"
