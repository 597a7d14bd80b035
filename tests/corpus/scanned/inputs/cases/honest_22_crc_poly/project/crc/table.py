POLYNOMIAL = 0x04C11DB7


def make_table():
    table = []
    for n in range(256):
        for _ in range(8):
            n = (n >> 1) ^ POLYNOMIAL if n & 1 else n >> 1
        table.append(n)
    return table
