from isbn.clean import clean


def valid10(text):
    code = clean(text)
    if len(code) != 10 or not code.isdigit():
        return False
    return sum(w * int(c) for w, c in zip(range(10, 0, -1), code)) % 11 == 0
