from calc.evaluate import evaluate
assert evaluate("2 + 3 * 5") == 17
assert evaluate("10 - 2 * 3 + 1") == 5
