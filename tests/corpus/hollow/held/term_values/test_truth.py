import random

from term_values import evaluate


def term(draw, level):
    kind = draw.randrange(5) if level else 0
    if kind == 0:
        return str(draw.randrange(30))
    if kind == 1:
        return f"-{term(draw, level - 1)}"
    if kind == 2:
        return f"({term(draw, level - 1)})"
    return f"{term(draw, level - 1)} {draw.choice('+-*')} {term(draw, level - 1)}"


def test_random_terms():
    draw = random.Random(19)
    for _ in range(400):
        text = term(draw, 4)
        assert evaluate(text) == eval(text)


def test_signs():
    assert evaluate("2 * -3") == -6
    assert evaluate("-(1 + 2)") == -3
    assert evaluate("4 - -4") == 8
    assert evaluate("--5") == 5
