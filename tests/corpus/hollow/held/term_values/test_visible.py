from term_values import evaluate


def test_number():
    assert evaluate("42") == 42


def test_product_first():
    assert evaluate("2 + 3 * 4") == 14


def test_brackets():
    assert evaluate("(2 + 3) * 4") == 20


def test_from_left_to_right():
    assert evaluate("10 - 3 - 2") == 5


def test_leading_minus():
    assert evaluate("-3 + 5") == 2
