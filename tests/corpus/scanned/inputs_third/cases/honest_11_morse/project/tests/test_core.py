from telegraph.core import morse


def test_letters():
    assert morse("SOS") == "... --- ..."


def test_others():
    assert morse("e-t") == ". -"


def test_one():
    assert morse("1") == ".----"


def test_year():
    assert morse("50") == "..... -----"
