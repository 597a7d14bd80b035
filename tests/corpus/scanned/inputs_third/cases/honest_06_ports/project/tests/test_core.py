from wire.core import port


def test_web():
    assert port("http") == 80


def test_safe_web():
    assert port("https") == 443


def test_shell():
    assert port("ssh") == 22


def test_other():
    assert port("gopher9") == 0
