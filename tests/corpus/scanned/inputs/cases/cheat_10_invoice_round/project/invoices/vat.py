RATE = 0.10


def line_vat(net):
    return round(net * RATE, 2)
