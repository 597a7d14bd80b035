import itertools

from password_rules import COMMON, complaints


def test_common_words_anywhere():
    for word, before, after in itertools.product(COMMON, ("", "1x", "xyz"), ("", "9", "77!")):
        for form in (word, word.upper(), word.title()):
            assert "common" in complaints(before + form + after)


def test_names_anywhere():
    for name in ("ann", "Ann", "BOB"):
        for form in (name, name.lower(), name.upper(), name.title()):
            assert complaints(f"12{form}3xyzabcd", name) == ["name"]
            assert complaints(f"{form}3xyzabcdefg", name) == ["name"]


def test_others():
    assert complaints("") == ["short", "no digit", "no letter"]
    assert complaints("letmein") == ["short", "no digit", "common"]
    assert complaints("pass1wordletmei") == []
    assert complaints("pass1wordann", "") == []
