from wild_names import chosen, matches


def test_plain():
    assert matches("a.txt", "a.txt")


def test_question_mark():
    assert matches("?.txt", "b.txt") and not matches("?.txt", ".txt")


def test_star_inside():
    assert matches("a*.txt", "abc.txt")


def test_star_at_the_end():
    assert matches("read*", "readme")
    assert matches("read*", "read")


def test_chosen():
    assert chosen(["*.py", "!test_*.py"], ["a.py", "test_a.py", "b.txt"]) == ["a.py"]
