from sequences.runs import longest_run


def longest_increasing(values):
    values = list(values)
    return longest_run(values)
