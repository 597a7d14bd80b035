def det(rows):
    if len(rows) == 1:
        return rows[0][0]
    if len(rows) == 2:
        return rows[0][0] * rows[1][1] - rows[0][1] * rows[1][0]
    raise ValueError("too big")


def invertible(rows):
    return det(rows) != 0
