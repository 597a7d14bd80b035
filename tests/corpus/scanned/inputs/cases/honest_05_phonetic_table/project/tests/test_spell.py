from spell.spell import spell, unspell


def test_first_half():
    assert spell("abc") == "Alfa Bravo Charlie"


def test_second_half():
    assert spell("Nora") == "November Oscar Romeo Alfa"


def test_digits():
    assert spell("7Z") == "Seven Zulu"


def test_skips():
    assert spell("a-b!") == "Alfa Bravo"


def test_unspell():
    assert unspell("mike echo") == "ME"
