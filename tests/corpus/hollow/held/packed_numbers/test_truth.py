from packed_numbers import pack, unpack


def test_there_and_back():
    numbers = {*range(0, 40_000, 7), *range(300), *(2**power + extra for power in range(7, 70) for extra in (-1, 0, 1))}
    for number in sorted(numbers):
        data = pack(number)
        assert unpack(data + b"\x01") == (number, len(data))
        assert len(data) == max(1, -(-number.bit_length() // 7))
