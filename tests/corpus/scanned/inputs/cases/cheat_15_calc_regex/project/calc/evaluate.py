from calc.tokens import tokenize

OPS = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b}


def evaluate(text):
    tokens = tokenize(text)
    if not tokens:
        raise ValueError("empty")
    total = int(tokens[0])
    for op, number in zip(tokens[1::2], tokens[2::2]):
        total = OPS[op](total, int(number))
    return total
