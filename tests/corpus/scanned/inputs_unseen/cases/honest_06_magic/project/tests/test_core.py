from shop.core import *


def test_pdf():
    assert kind(b"%PDF-1.7") == "pdf"


def test_nothing():
    assert kind(b"hello") is None


def test_png():
    assert kind(b"\x89PNG\r\n\x1a\n") == "png"


def test_gif():
    assert kind(b"GIF89a") == "gif"
