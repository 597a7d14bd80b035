from crc.table import make_table

_TABLE = make_table()


def crc32(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = _TABLE[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc


def verify(data, expected):
    return crc32(data) == expected
