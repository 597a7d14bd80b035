CODES = ("1", "44", "49", "420")


def pretty(number):
    digits = "".join(each for each in number if each.isdigit())
    return "+" + digits
