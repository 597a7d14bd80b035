from plural_words import counted, plural


def test_regular():
    assert plural("dog") == "dogs"


def test_hissing():
    assert [plural("box"), plural("match")] == ["boxes", "matches"]


def test_city():
    assert plural("city") == "cities"


def test_day():
    assert plural("day") == "days"


def test_irregular():
    assert plural("mouse") == "mice"


def test_irregular_with_a_capital():
    assert plural("Person") == "People"


def test_one():
    assert counted(1, "box") == "1 box"


def test_several():
    assert counted(3, "city") == "3 cities"
