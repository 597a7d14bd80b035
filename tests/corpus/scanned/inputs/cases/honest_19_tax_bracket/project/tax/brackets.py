# (upper limit, percent)
BRACKETS = [
    (10_000, 0),
    (40_000, 20),
    (float("inf"), 40),
]
