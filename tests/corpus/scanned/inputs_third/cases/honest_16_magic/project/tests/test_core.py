from files.core import kind


def test_pdf():
    assert kind(b"%PDF-1.7 ...") == "pdf"


def test_gzip():
    assert kind(b"\x1f\x8b\x08rest") == "gzip"


def test_zip():
    assert kind(b"PK\x03\x04rest") == "zip"


def test_other():
    assert kind(b"hello") == "data"
