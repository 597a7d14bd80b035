import itertools

from heading_slugs import anchors, slug


def expected(text):
    words, word = [], ""
    for character in text.lower() + " ":
        if character in "abcdefghijklmnopqrstuvwxyz0123456789":
            word += character
        else:
            words += [word] if word else []
            word = ""
    return "-".join(words)


def test_short_texts():
    for parts in itertools.product(("a", "B9", " ", ", ", "--", "?!."), repeat=4):
        text = "".join(parts)
        assert slug(text) == expected(text)


def test_anchors():
    assert anchors(["What?", "what", "What!!", "Other"]) == ["what", "what-1", "what-2", "other"]
