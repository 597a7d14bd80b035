def worth(pieces):
    total = 0
    for piece in pieces:
        if piece == "P":
            total += 1
        elif piece == "R":
            total += 5
    return total
