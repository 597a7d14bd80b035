def digits(number):
    return [int(sign) for sign in number if sign.isdigit()]


def valid(number):
    return len(digits(number)) > 1 and sum(digits(number)) % 10 == 0
