import itertools

from byte_limits import fits, shorten, shorten_all


def test_every_cut():
    for signs in itertools.product(("a", "\u00ef", "\u20ac", "\U0001f600"), repeat=4):
        text = "".join(signs)
        for most in range(0, 18):
            expected = next(text[:length] for length in range(4, -1, -1) if len(text[:length].encode()) <= most)
            assert shorten(text, most) == expected
            assert fits(text, most) == (len(text.encode()) <= most)


def test_all():
    assert shorten_all({"a": "x\u20acy"}, 3) == {"a": "x"}
