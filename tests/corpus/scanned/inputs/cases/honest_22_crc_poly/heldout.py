import zlib
from crc.crc32 import crc32
for data in (b"a", b"windmill", bytes(range(256)), b"x" * 1000):
    assert crc32(data) == zlib.crc32(data)
