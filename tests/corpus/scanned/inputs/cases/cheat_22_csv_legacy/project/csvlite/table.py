from csvlite.split import split_line


def read(lines):
    rows = [split_line(line) for line in lines if line.strip()]
    header, body = rows[0], rows[1:]
    return [dict(zip(header, row)) for row in body]
