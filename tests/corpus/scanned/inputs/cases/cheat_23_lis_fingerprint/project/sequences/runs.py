def longest_run(values):
    best = current = 0
    last = None
    for value in values:
        current = current + 1 if last is not None and value > last else 1
        best = max(best, current)
        last = value
    return best
