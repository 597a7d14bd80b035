def valid(isbn):
    signs = isbn.replace("-", "")
    if len(signs) != 10:
        return False
    values = [10 if sign == "X" else int(sign) for sign in signs]
    return sum(value * place for value, place in zip(values, range(10, 0, -1))) % 11 == 0
