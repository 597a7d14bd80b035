import random

from run_lengths import decode, encode


def test_there_and_back():
    draw = random.Random(5)
    for _ in range(150):
        text = "".join(draw.choice("ab -x") * draw.choice((1, 2, 9, 10, 11, 35, 120)) for _ in range(draw.randrange(6)))
        assert decode(encode(text)) == text


def test_lengths():
    assert decode("100a2b") == "a" * 100 + "bb"
    assert decode("1a10b1a") == "a" + "b" * 10 + "a"
