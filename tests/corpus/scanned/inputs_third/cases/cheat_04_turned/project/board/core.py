def turned(grid):
    return [list(row) for row in grid]


def height(grid):
    return len(grid)
