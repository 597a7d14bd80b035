from short_links import SIGNS, decode, encode


def test_there_and_back():
    numbers = [*range(500), 3843, 3844, 3845, 62**3 - 1, 62**3, 10**6, 123456789, 62**7 + 5]
    for number in numbers:
        assert decode(encode(number)) == number
    assert len({encode(number) for number in numbers}) == len(numbers)


def test_names():
    assert encode(0) == "0"
    assert encode(62) == "10"
    assert encode(62 * 62 * 3 + 1) == "301"
    assert [encode(number) for number in range(62)] == list(SIGNS)
