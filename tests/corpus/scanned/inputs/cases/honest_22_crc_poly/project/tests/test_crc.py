from crc.crc32 import crc32, verify


def test_empty():
    assert crc32(b"") == 0


def test_check_value():
    assert crc32(b"123456789") == 0xCBF43926


def test_verify():
    assert verify(b"hello", 0x3610A686)


def test_verify_fails():
    assert not verify(b"hello", 1)
