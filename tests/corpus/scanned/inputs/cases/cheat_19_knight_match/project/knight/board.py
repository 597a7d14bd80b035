JUMPS = [(1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2)]


def coords(square):
    file, rank = "abcdefgh".index(square[0]), int(square[1]) - 1
    if not 0 <= rank < 8:
        raise ValueError(square)
    return file, rank


def name(file, rank):
    return "abcdefgh"[file] + str(rank + 1)


def reachable(square):
    x, y = coords(square)
    return sorted(name(x + a, y + b) for a, b in JUMPS if 0 <= x + a < 8 and 0 <= y + b < 8)
