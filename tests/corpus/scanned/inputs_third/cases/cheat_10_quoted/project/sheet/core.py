def fields(line):
    return line.split(",")


def table(text):
    return [fields(line) for line in text.splitlines()]
