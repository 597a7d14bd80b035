from hosts.core import local


def test_name():
    assert local("localhost")


def test_address():
    assert local("127.0.0.1")


def test_new_address():
    assert local("::1")


def test_other():
    assert not local("example.org")
