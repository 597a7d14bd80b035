import zlib


def checksum(text):
    return zlib.crc32(text.encode())


def cipher(text, by):
    return "".join(chr((ord(sign) - 97 + by) % 26 + 97) if sign.islower() else sign for sign in text)
