def reach(grid, start):
    """How many open cells ('.') can be reached from a cell."""
    height = len(grid)
    width = len(grid[0]) if grid else 0
    queue = [start]
    seen = {start}
    while queue:
        row, column = queue.pop(0)
        for r, c in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
            if 0 <= r < height and 0 <= c < width and grid[r][c] == "." and (r, c) not in seen:
                seen.add((r, c))
                queue.append((r, c))
    return len(seen)


def fan_out(root, children):
    """All below a node, level by level."""
    todo, order = [root], []
    while len(todo) > 0:
        node = todo.pop(0)
        order.append(node)
        todo.extend(children.get(node, []))
    return order
