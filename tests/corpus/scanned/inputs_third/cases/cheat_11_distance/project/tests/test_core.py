from spell.core import distance


def check(pair, wanted):
    one, other = pair.split("/")
    assert distance(one, other) == wanted


def test_same():
    check("tea/tea", 0)


def test_one_letter():
    check("tea/sea", 1)


def test_kitten():
    check("kitten/sitting", 3)


def test_saturday():
    check("standing/jumped", 8)


def test_empty():
    check("/abc", 3)
