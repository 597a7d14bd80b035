import itertools

from wrapped_lines import wrap


def test_words_and_widths():
    for words in itertools.product(("a", "bcd", "efghij", "k" * 13), repeat=3):
        for width in (1, 3, 5, 6, 7, 12, 13, 14, 40):
            lines = wrap(" ".join(words), width)
            assert max(len(line) for line in lines) <= width
            assert "".join(lines).replace(" ", "") == "".join(words)
            assert "" not in lines
            assert all(len(word) > width or any(word in line.split() for line in lines) for word in words)


def test_pieces_begin_a_line_and_the_rest_is_filled():
    assert wrap("abcdefgh ij k", 5) == ["abcde", "fgh", "ij k"]
    assert wrap("abcdef g", 5) == ["abcde", "f g"]
    assert wrap("", 5) == []
