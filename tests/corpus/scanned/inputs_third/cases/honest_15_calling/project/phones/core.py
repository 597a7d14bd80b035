CODES = {"33": "FR", "49": "DE"}


def country(number):
    for length in (3, 2, 1):
        if number[1:1 + length] in CODES:
            return CODES[number[1:1 + length]]
    return "??"
